// Where the shadow lies, as far as code outside check/ must know it: the pass emits the same-epoch test in line.
//   cell of address a:  kCellBase + ((a & kAppMask & ~7) << 1), 16 bytes: u32 W_lo, W_hi, R_lo, R_hi. The halves are of the two granules of 4 bytes
//   __footrace_now:     thread-local: the thread's epoch in both halves of a word of 64 bits, and sets of readers that hold it, each in the slot that
//                       its low bits name
// The test for a whole cell or a granule: W (of a write) or R (of a read) equals the epoch; for reads also readers.word[slot_of_readers(R)].
#pragma once

#include "base/types.h"

namespace footrace {

constexpr uptr kAppMask = 0x0fff'ffff'ffff;
constexpr uptr kCellBase = 0x1000'0000'0000;

// Of a thread that the runtime does not know (yet): no word of the shadow is equal, nor a half.
constexpr u64 kNoEpochInLine = ~0ull;

// What code in line knows of its thread.
constexpr u32 kReadersSlots = 16;
constexpr u64 slot_of_readers(u64 word) { return word % kReadersSlots; }
struct ReadersInLine {
  u64 word[kReadersSlots];
  constexpr ReadersInLine() {
    for (u64& one : word) one = kNoEpochInLine;
  }
};
struct InLine {
  u64 epoch = kNoEpochInLine;
  ReadersInLine readers;
};
#define FOOTRACE_IN_LINE_SYMBOL "__footrace_now"

} // namespace footrace
