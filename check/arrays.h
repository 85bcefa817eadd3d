// Compressed blocks: one past for 512 bytes of the program (paper 000, section 4, "Dynamic Array Compression"; SlimState).
//
// Every block has a header of one word in a plane of its own, and a granule whose R asks the header has no state but that of its block's header:
//   virgin   zero: nobody has been here since the memory was fresh
//   coarse   {W, R} of every granule, as a cell has them; R is an epoch or a common set. All cells ask the header
//   fine     each granule says all about itself, and one that is zero was not accessed
//   swept    fine, and was accessed as a whole since it became so
//   locked   one thread gives every cell what the coarse header said, or the header what the cells say
// virgin -> coarse when all of it is accessed at once; coarse -> fine when a part of it is accessed as the whole was not; fine -> swept -> coarse when all of it is
// accessed at once again, and again, and its cells have one past, or one that the access ends.
// Concurrency: a header changes by compare-and-swap; the cells of a coarse block that ask the header belong to who has locked it. Cells that have had a state are not
// zero when their block gets coarse again, but Reference::Header: a thread may still hold a zero that it met before, to swap it.
#pragma once

#include "check/rules.h"

namespace footrace {

constexpr u64 kVirginBlock = 0, kFineBlock = 1, kLockedBlock = 2,
              kSweptBlock = 3; // R, the upper half, is zero in none but these
constexpr bool is_fine(u64 header) { return header == kFineBlock || header == kSweptBlock; }
constexpr bool is_coarse(u64 header) { return header >> 32; }
constexpr u64 coarse_block(Epoch w, Word r) { return u64(r.raw) << 32 | w.raw; }

FR_INLINE uptr block_address(uptr address) { return round_down(address, kBlockBytes); }
FR_INLINE u64* header_of(uptr address) {
  return reinterpret_cast<u64*>(kHeaderBase + (address & kAppMask) / kBlockBytes * sizeof(u64));
}

extern bool g_compress_blocks; // false: every block is fine from its first access on

namespace fasttrack {

// A granule or cell whose R asks the header was met.
enum class Asked : u8 {
  Seen,      // the header says that the thread has made this access in this epoch
  LookAgain, // the cell may have words now
  Empty      // it was not accessed: its R may be swapped from zero
};
Asked ask_header(ThreadState& t, uptr address, AccessKind kind);

// The header says that the thread has accessed all of the block in this epoch. Where single cells of such a block are asked for again and again they get
// words of their own, which code in line finds.
bool block_seen(ThreadState& t, uptr address, AccessKind kind, u64 size);

// A plain access to a whole block. False: nothing was done, its cells must be accessed.
bool step_on_block(ThreadState& t, uptr block, AccessKind kind, Found& found);

// Whether the coarse header of the block names what `names` looks for.
template <class Names> bool header_names(uptr address, Names names) {
  const u64 header = __atomic_load_n(header_of(address), __ATOMIC_ACQUIRE);
  return is_coarse(header) && (names(Word(u32(header))) || names(Word(u32(header >> 32))));
}

void refine(ThreadState& t, uptr block);

} // namespace fasttrack
} // namespace footrace
