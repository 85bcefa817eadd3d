// Where the shadow lies, as far as code outside the runtime must know it: the pass emits the same-epoch test in line.
//   granule:            4 bytes of the program, whose history is a word W and a word R of 32 bits; two granules make a cell
//   cell of address a:  kCellBase + ((a & kAppMask & ~7) << 1), 16 bytes: W_lo, W_hi, R_lo, R_hi. kCellBase is kAppMask + 1, so that one
//                       register serves the code as mask and as base
//   of one granule:     W at cell + (a & 4), R 8 bytes behind it
//   of a whole cell:    W is the u64 at cell, R the u64 at cell + 8
//   __footrace_now:     thread-local; u64 words with the same in both halves: the thread's epoch, and sets of readers that hold it, each in
//                       the slot that its low bits name
// The thread has written a granule in its current epoch if W == epoch, has accessed it if R == epoch, and is among its readers if R is a known
// set, which is in readers[slot_of_readers(R)]. A word stands for all bytes of its granule.
#pragma once

#include "base/types.h"

namespace footrace {

constexpr uptr kAppMask = 0x0fff'ffff'ffff;
constexpr uptr kCellBase = 0x1000'0000'0000;

// Of a thread that the runtime does not know (yet): neither a word of the shadow nor a pair of words ever equals it.
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
