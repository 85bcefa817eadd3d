// The shadow cell: what is known about 8 bytes of program memory, precise to the byte.
//
// Representations of a cell (W, R words of 16 bytes, changed only by compare-and-swap of both or under its lock):
//   plain   W = write epoch | byte mask, R = read epoch or set | byte mask; bytes outside a mask have no such
//           access. The sites of the two accesses are in the sites plane, each with a tag of its epoch.
//   split   one thread is working through the bytes: two epochs of writes or of reads, in the forms of shadow/split.h.
//           R's site is tagged with R's epoch; W's as well where a byte was written in it.
//   records W = kRecordsTag | block | generation: the block lists accesses, each with its bytes. Cells with equal records may have the same
//           block (shadow/cell_records.h).
//           R holds the epoch of the thread that changed the cell last and the bytes it has read or written in
//           it, so that its reads stay same-epoch hits.
//   locked  W = kLockedTag: one thread is changing the cell; R still reads as before.
// A write also stamps R with its own epoch (R == W says nothing that W does not: a mirror), so reading back
// what one has written is a same-epoch hit.
//
// Plain and split cells are called simple.
//
// Protocol. (1) Same-epoch tests read one word and need no lock: the word can only equal the thread's current
// epoch if the thread itself put it there in this epoch and no conflicting access has replaced it. (2) A
// race-free step between simple states is one cmpxchg16b from the very words that were judged. (3) Everything
// else takes the lock (W := locked by the same compare-and-swap), works alone, publishes R and then W. A step
// that found a race always takes the lock, so the sites of racing accesses are written one after the other.
// (4) References to blocks and sets that were read without the lock are used only for same-epoch tests and
// only if the cell's word, generation included, is unchanged afterwards.
#pragma once

#include "base/platform.h"
#include "shadow/epoch_set.h"
#include "shadow/mapping.h"

namespace footrace {

constexpr Tid kRecordsTag = (1u << kTidBits) - 1;
constexpr Tid kLockedTag = (1u << kTidBits) - 3;
constexpr u64 kLockedWord = u64(kLockedTag) << kTidShift;
// R of an empty cell; two zero words mean "ask the header" (shadow/block.h). Its mask is empty, so the rules need not know it.
constexpr u64 kEmptyWord = u64((1u << kTidBits) - 6) << kTidShift;
constexpr u64 kMaskBits = 0xff;

struct alignas(16) Cell {
  u64 W, R;
};
static_assert(sizeof(Cell) == 16);

constexpr u64 epoch_bits(u64 word) { return word & ~kMaskBits; }
constexpr u8 mask_of(u64 word) { return u8(word & kMaskBits); }
constexpr bool has_records(u64 word) { return tid_of(word) == kRecordsTag; }
constexpr bool is_locked(u64 word) { return word == kLockedWord; }
// Of W: locked, or records.
constexpr bool has_tag(u64 w) { return w >= u64(kMaxTid + 1) << kTidShift; }

// One compare decides: the word is `epoch` and its mask holds all of `mask`.
FR_INLINE bool same_epoch(u64 word, Epoch epoch, u64 mask) {
  return ((word ^ (epoch | mask)) & (~kMaskBits | mask)) == 0;
}

// After reading what a word refers to without the lock: the word is still the same, so what was read belonged to it.
FR_INLINE bool still_holds(const u64* word, u64 value) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(word, __ATOMIC_RELAXED) == value;
}

// A read of shared data: the set that R names holds the thread's epoch. Misses are for the slow path to decide.
FR_INLINE bool shared_same_epoch(const Cell* cell, u64 r, Epoch epoch, u64 mask) {
  return is_set(epoch_bits(r)) && !(mask & ~r) && set_starts_with(epoch_bits(r), epoch) &&
         still_holds(&cell->R, r);
}

// History of bytes that share it. R, AW and AR are an epoch or a set; W is an epoch.
struct History {
  Epoch W = 0;                                             // last plain write
  u64 R = 0;                                               // plain reads since
  u64 AW = 0, AR = 0;                                      // atomic writes and reads since
  SiteId w_site = 0, r_site = 0, aw_site = 0, ar_site = 0; // of W, R, AW, AR where they are epochs
  bool empty() const { return !(W | R | AW | AR); }
  bool operator==(const History& o) const {
    return W == o.W && R == o.R && AW == o.AW && AR == o.AR && w_site == o.w_site && r_site == o.r_site &&
           aw_site == o.aw_site && ar_site == o.ar_site;
  }
};

struct Group {
  Group() {} // left uninitialised: Groups has eight of them on every slow path
  union {
    History history;
  };
  u64 mask; // of bytes
};

// A cell taken apart. Bytes in no group have an empty history.
struct Groups {
  Group group[8];
  u32 count = 0;
};

FR_INLINE bool swap_cell(Cell* cell, u64 old_w, u64 old_r, u64 w, u64 r) {
  bool done;
  asm volatile("lock cmpxchg16b %1"
               : "=@ccz"(done), "+m"(*cell), "+a"(old_w), "+d"(old_r)
               : "b"(w), "c"(r)
               : "memory");
  return done;
}

// Gives back what the words of a cell refer to.
void drop_words(u64 w, u64 r);
// Takes the cell apart. It must be locked by the caller and hold these words.
void take_apart(const Cell* cell, u64 w, u64 r, uptr address, Groups& out);
// Writes the groups into the locked cell in the smallest representation and unlocks it. References to sets
// that the groups hold are taken; those of the old words (w, r) are dropped.
// `now` is the epoch of the thread that does it.
void put_together(Cell* cell, uptr address, u64 old_w, u64 old_r, Groups& groups, Epoch now);
// Same-epoch test in a cell with records: every byte of the mask was read (or written) in this epoch.
bool records_same_epoch(const Cell* cell, u64 w, Epoch epoch, u64 mask, bool write);
bool has_own_records(u64 w);       // no other cell has the same block: it may be changed in place
bool is_field_of(u64 w, u64 mask); // and just these bytes have their past. Without the lock a guess.
// Under the lock, which is given back: the records were changed in place by an access to `mask` in the epoch `now`. The cell becomes simple if it can.
void records_changed_in_place(Cell* cell, uptr address, u64 w, u64 r, u64 mask, Epoch now);

// The sites plane, for simple cells: 24 bits of site and 8 that tell whether it belongs to the cell's epoch.
// Never 0, which is the tag of memory where no site was ever stored.
constexpr u8 site_tag(Epoch epoch) { return u8(((epoch >> kClockShift) ^ (epoch >> kTidShift)) | 0x80); }
FR_INLINE u32* site_word(uptr address, bool write) {
  return reinterpret_cast<u32*>(sites_of(address)) + !write;
}
FR_INLINE void store_site(uptr address, bool write, Epoch epoch, SiteId site) {
  __atomic_store_n(site_word(address, write), (site << 8) | site_tag(epoch), __ATOMIC_RELEASE);
}
FR_INLINE SiteId peek_site(uptr address, bool write, Epoch epoch) { // kNoSite: not there, or not yet
  u32 word = __atomic_load_n(site_word(address, write), __ATOMIC_ACQUIRE);
  return u8(word) == site_tag(epoch) ? word >> 8 : kNoSite;
}
SiteId wait_for_site(const u32* word, Epoch epoch); // a thread is between the swap and the store
FR_INLINE SiteId load_site(uptr address, bool write, Epoch epoch) {
  const u32* place = site_word(address, write);
  u32 word = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  return FR_LIKELY(u8(word) == site_tag(epoch)) ? word >> 8 : wait_for_site(place, epoch);
}
// The site for the union of two byte sets that were accessed in one epoch; kNoSite: not expressible.
SiteId join_sites(SiteId a, u64 a_mask, SiteId b, u64 b_mask);
void release_joined_sites(); // what the thread remembers of them

// What the thread keeps at hand goes back to the pools: at its end.
void release_cell_caches();
u64 record_blocks_in_use();
void block_pool_lock_all();
void block_pool_unlock_all();

} // namespace footrace
