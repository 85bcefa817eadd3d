// Where the shadow lies, as far as code outside shadow/ must know it: the pass emits the same-epoch test in line.
//   cell of address a:  kCellBase + ((a & kAppMask & ~7) << 1), 16 bytes: the W word, then the R word
//   its sites:          kSiteBase + (a & kAppMask & ~7), 8 bytes, which a step changes as well. kSiteBase is no multiple of 4096: a load of the
//                       program waits for a store to the shadow that has the same low 12 bits (docs/decisions/022)
//   word:               epoch, and in the 8 low bits the bytes of the cell it stands for
//   __footrace_now:     thread-local; words with all 8 low bits set, or kNoEpochInLine: the thread's epoch, and sets of readers
//                       (shadow/epoch_set.h) that hold it, each in the slot that its low bits name
// The test for an access to the bytes `mask`: ((word ^ epoch) & (~0xff | mask)) == 0, and for reads the same with readers[slot_of_readers(word)].
#pragma once

#include "base/types.h"

namespace footrace {

constexpr uptr kAppMask = 0x0fff'ffff'ffff;
constexpr uptr kCellBase = 0x1000'0000'0000, kSiteBase = 0x3000'0000'0840;

// Of a thread that the runtime does not know (yet): a reserved tid, so that no word of the shadow compares equal, also not an empty one.
constexpr u64 kNoEpochInLine = (u64((1u << 20) - 4) << 44) | 0xff;

// What code in line knows of its thread.
constexpr u32 kReadersShift = 18, kReadersSlots = 16;
constexpr u64 slot_of_readers(u64 word) { return (word >> kReadersShift) % kReadersSlots; }
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
