// Footprints (paper 000, section 4) of bytes. Code that goes through memory byte by byte would take a step per byte of a granule, and pull
// the granule apart and together again. So bytes of a granule beside one that the thread has accessed in the same epoch wait in the thread until the granule is
// full, at most until the thread's next synchronisation, and are checked in one step. The first granule of a row is checked byte by byte.
//
// Why that is the same check. Between the access and its check the thread neither learns nor publishes anything, so the check asks what the access
// would have asked; of two unordered accesses the one that is checked last meets the other, whichever came first. An access that is ordered after
// ours is ordered by a release of this thread, which has settled first. Memory that ends its life without such an order races with a byte of
// the row that was checked at once; a row ends where a heap block or a page begins.
#pragma once

#include "check/words.h"

namespace footrace {

struct LogEntry;

struct WaitingGranule {
  uptr granule = 0;         // address / 4; 0: empty
  u8 read = 0, written = 0; // masks of bytes
  u32 era = 0;              // of the log, when `entry` was written
  LogEntry* entry =
      nullptr; // of the last access to these bytes: what follows it from the same place needs no other one
};

struct WaitingBytes {
  static constexpr u32 kSlots = 64; // direct-mapped
  u64 used = 0;                     // a bit per slot
  WaitingGranule slot[kSlots];

  static u32 slot_of(uptr granule) { return granule % kSlots; }
  // False: nothing waits of these bytes. Of many bytes nobody looks.
  FR_INLINE bool may_have(uptr from, uptr to) const {
    if (to - from > 16) return true;
    for (uptr granule = from / 4; granule * 4 < to; ++granule)
      if (slot[slot_of(granule)].granule == granule) return true;
    return false;
  }
  // The bytes wait already, in a way that stands for this access.
  FR_INLINE bool has(uptr granule, u32 mask, bool write) const {
    const WaitingGranule& g = slot[slot_of(granule)];
    return g.granule == granule && !(mask & ~u32(write ? g.written : g.read | g.written));
  }
};

struct ThreadState;
namespace fasttrack {
class Found;

// The access to the bytes `mask` of a granule, which has() does not know and which is in the log, waits unless it must be checked at once. What it pushes
// out, or fills, is checked.
void wait_in_granule(ThreadState& t, uptr granule, u32 mask, bool write, Found& found);
// Before an access to [from, to) of another kind: what waits of these granules is checked, so that each race is told of its own access.
FR_COLD void settle_granules(ThreadState& t, uptr from, uptr to, Found& found);
// Checks all that waits.
void settle_bytes(ThreadState& t, Found& found);

} // namespace fasttrack
} // namespace footrace
