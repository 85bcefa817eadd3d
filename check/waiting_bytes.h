// Footprints (paper 000, section 4) of bytes. Code that goes through memory byte by byte would take a step per byte of a granule, and pull
// the granule apart and together again. So bytes that a thread accesses wait in the thread until their granule is full, at most until the thread's next
// synchronisation, and are checked in one step.
//
// Why that is the same check. Between the access and its check the thread neither learns nor publishes anything, so the check asks what the access
// would have asked; of two unordered accesses the one that is checked last meets the other, whichever came first. An access that is ordered after
// ours is ordered by a release of this thread, which has settled first.
#pragma once

#include "check/words.h"

namespace footrace {

struct LogEntry;

struct WaitingGranule {
  uptr granule = 0;         // address / 4; 0: empty
  u8 read = 0, written = 0; // masks of bytes
  u32 era = 0;              // of the log, when `entry` was written
  LogEntry* entry = nullptr; // of the last access to these bytes: what follows it from the same place needs no other one
};

struct WaitingBytes {
  static constexpr u32 kSlots = 64; // direct-mapped
  u64 used = 0;                     // a bit per slot
  WaitingGranule slot[kSlots];

  static u32 slot_of(uptr granule) { return granule % kSlots; }
  // The bytes wait already, in a way that stands for this access.
  FR_INLINE bool has(uptr granule, u32 mask, bool write) const {
    const WaitingGranule& g = slot[slot_of(granule)];
    return g.granule == granule && !(mask & ~u32(write ? g.written : g.read | g.written));
  }
};

struct ThreadState;
namespace fasttrack {
struct Found;

// The access to the bytes `mask` of a granule, which has() does not know and which is in the log, waits. What it pushes out, or fills, is checked.
void wait_in_granule(ThreadState& t, uptr granule, u32 mask, bool write, Found& found);
// Checks all that waits.
void settle_bytes(ThreadState& t, Found& found);

} // namespace fasttrack
} // namespace footrace
