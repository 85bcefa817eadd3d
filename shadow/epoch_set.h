// Sets of concurrent accesses to one location: the vector clock R_x of [FT READ SHARE], with the site of each
// access. A set is immutable, sorted by thread, interned and reference-counted: the thousand words of an
// array that the same threads read in the same epochs share one set, so read-shared data costs no memory of
// its own. A reference is one word, tagged with a reserved tid; it carries a generation so that a stale
// reference is recognised. A set that only one cell refers to becomes that cell's own at its next change: it leaves the
// table and is changed in place from then on, so atomics and scattered data pay for no table.
// Concurrency: contents never change while a second reference exists; interning is done under the lock of the content's
// shard; an own set changes under the lock of its cell, but for the entries of an *open* one (shadow/open_set.h): each of those its thread moves on without.
#pragma once

#include "clocks/vector_clock.h"
#include "shadow/site_id.h"

namespace footrace {

constexpr Tid kSetTag = (1u << kTidBits) - 2;
using SetRef = u64; // kSetTag << 44 | index:26 | generation:10 | 8 zero bits

constexpr bool is_set(u64 word) { return tid_of(word) == kSetTag; }

struct alignas(16) SetEntry {
  Epoch epoch;
  SiteId site;
  u32 life; // of an open set: which opening; 0: closed
};

struct EpochSet {
  u32 refs;
  u32 count;
  u32 index;      // in g_set_table; kept while the memory is free
  u16 size_class; // says the capacity; never changes
  bool own;       // one cell's, and in no chain
  bool open;      // changes under the lock of its cell
  u32 generation; // of the current content
  u32 hash;
  EpochSet* next;    // hash chain, or free list
  SetEntry entry[2]; // and more, as the capacity says
};
constexpr u32 set_capacity(u32 size_class) { return 2u << size_class; }
constexpr u32 kSetIndexBits = 26, kSetGenerationBits = 10;
extern EpochSet** g_set_table; // index -> set; reserved whole, resident as it fills
FR_INLINE EpochSet* set_of(SetRef ref) {
  u64 index = (ref >> (8 + kSetGenerationBits)) & ((1u << kSetIndexBits) - 1);
  return __atomic_load_n(&g_set_table[index], __ATOMIC_RELAXED);
}

// The entry of the thread; null: it has none. Without a lock the memory may be in other use by now: it stays within its capacity, whatever
// the count says.
FR_INLINE SetEntry* entry_of_thread(EpochSet* s, Tid tid) {
  u32 low = 0, high = min(__atomic_load_n(&s->count, __ATOMIC_RELAXED), set_capacity(s->size_class));
  while (low < high) {
    const u32 middle = (low + high) / 2;
    const Tid there = tid_of(__atomic_load_n(&s->entry[middle].epoch, __ATOMIC_RELAXED));
    if (there == tid) return &s->entry[middle];
    if (there < tid)
      low = middle + 1;
    else
      high = middle;
  }
  return nullptr;
}

// A new reference to {(a, site_a), (b, site_b)}; the threads differ.
SetRef make_set(SetEntry a, SetEntry b);
// A new reference to `set` with `entry` in place of its thread's; entries that `seen` covers are dropped,
// since whoever conflicts with them conflicts with `entry` too. May give a plain epoch (not a set) when one
// entry is left; then *single_site is its site.
u64 add_to_set(SetRef set, SetEntry entry, const Clock& seen, SiteId* single_site);
// The same where the caller has the only reference, which from here on is good for nothing but release_set.
u64 add_to_own_set(SetRef set, SetEntry entry, const Clock& seen, SiteId* single_site);
SetRef make_own_set(SetEntry a, SetEntry b);
// As add_to_set, for one cell that will change it again.
u64 make_own_copy(SetRef set, SetEntry entry, const Clock& seen, SiteId* single_site);
bool may_own_set(SetRef set); // one reference; the caller holds the lock of the cell that has it
// The thread's entry of an own set moves on; entries that are ordered before it stay, which changes no verdict. The same set under a new
// generation, with the caller's reference, or 0: not a set of this place alone, or the thread has no entry in it. The caller holds the lock of the set's cell;
// the set is closed.
SetRef advance_in_own_set(SetRef set, SetEntry entry);
// A guess without the lock: whether that may succeed.
FR_INLINE bool looks_own(SetRef set) { return __atomic_load_n(&set_of(set)->own, __ATOMIC_RELAXED); }
void retain_set(SetRef set);
void release_set(SetRef set);
u32 set_size(SetRef set);
const SetEntry* set_entries(SetRef set); // valid while referenced, and stable while the set is closed
// True if the set holds exactly this epoch. Needs no reference, but the caller must afterwards find the word
// it took the reference from unchanged.
bool set_contains(SetRef set, Epoch epoch);
// The same for the first entries only, in line: most sets are small.
FR_INLINE bool set_starts_with(SetRef ref, Epoch epoch) {
  const EpochSet* s = set_of(ref);
  u32 count = __atomic_load_n(&s->count, __ATOMIC_RELAXED);
  bool found = __atomic_load_n(&s->entry[0].epoch, __ATOMIC_RELAXED) == epoch ||
               __atomic_load_n(&s->entry[1].epoch, __ATOMIC_RELAXED) == epoch; // every set has room for two
  return found && count >= 2;
}

// Reading made `to` of the readers `from` (an epoch with its site, or a set): the thread remembers it, with references of its own, because the
// next cell mostly has the same readers. An epoch names one thread's stretch for ever, so a step stays true. Taking `to` and giving back `from` is then a matter of two counters.
struct SetStep {
  u64 from;
  Epoch epoch; // of the read
  u64 to;
  SiteId from_site, site; // kNoSite for a set; of the read
  u32 stock;              // references to `to` that are there to be taken
  u32 owed;               // references to `from` that were given back
};
constexpr u32 kSetSteps = 64;
extern __thread SetStep t_set_steps[kSetSteps];
FR_INLINE SetStep& set_step_for(u64 from, SiteId from_site, SiteId site) {
  return t_set_steps[((from >> 8) * 0x9e3779b97f4a7c15 >> 40 ^ site ^ from_site * 5) % kSetSteps];
}
// A new reference to what the step made, if it is remembered; else 0.
SetRef repeated_set_step(u64 from, SiteId from_site, Epoch epoch, SiteId site);
void remember_set_step(u64 from, SiteId from_site, Epoch epoch, SiteId site, SetRef to);
FR_COLD void settle_set_step(SetStep& step); // stock and debt, when one has run out or the other grown
constexpr u32 kSetStock = 64;
// Sharing sets pays where steps are made again. The credit falls with every step that is remembered and grows with every one that is repeated:
// two cells that are always read together are better off with sets of their own, an array is not.
constexpr u32 kMostShareCredit = 256, kPriceOfSharing = 8;
extern __thread u32 t_share_credit, t_share_tries;
bool may_pay_to_share();
FR_INLINE void sharing_has_paid() {
  if (t_share_credit < kMostShareCredit) ++t_share_credit;
}

// Gives back what the thread keeps for later: at its end, and before somebody counts.
void release_set_cache();
u64 sets_in_use();
bool is_in_sets(uptr address); // for tests/model
void set_pool_lock_all();
void set_pool_unlock_all();

} // namespace footrace
