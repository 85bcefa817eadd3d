// Where the shadow lies, as far as code outside shadow/ must know it: the pass emits the same-epoch test in line.
//   cell of address a:  kCellBase + ((a & kAppMask & ~7) << 1), 16 bytes: the W word, then the R word
//   word:               epoch, and in the 8 low bits the bytes of the cell it stands for
//   __footrace_epoch:   thread-local; the thread's epoch with all 8 low bits set, or kNoEpochInLine
// The test for an access to the bytes `mask`: ((word ^ __footrace_epoch) & (~0xff | mask)) == 0.
#pragma once

#include "base/types.h"

namespace footrace {

constexpr uptr kAppMask = 0x0fff'ffff'ffff;
constexpr uptr kCellBase = 0x1000'0000'0000;

// Of a thread that the runtime does not know (yet): a reserved tid, so that no word of the shadow compares equal, also not an empty one.
constexpr u64 kNoEpochInLine = (u64((1u << 20) - 4) << 44) | 0xff;

#define FOOTRACE_EPOCH_SYMBOL "__footrace_epoch"

} // namespace footrace
