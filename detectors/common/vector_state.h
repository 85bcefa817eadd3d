// The state of a variable in BasicVC, DJIT+ and MultiRace: the clock of the last access of each kind by each thread (R_x and W_x; atomic
// accesses, which conflict with plain ones only, have clocks of their own).
#pragma once

#include "detectors/common/detector.h"
#include "detectors/common/sync.h"

namespace footrace::detectors {

struct VectorState {
  Clock last[kAccessKinds]; // by AccessKind
  bool raced = false;

  u64 bytes() const {
    u64 sum = 0;
    for (const Clock& clock : last) sum += clock.bytes();
    return sum;
  }
  Clock& of(AccessKind kind) { return last[u32(kind)]; }
};

// W_x below C_t for a read, W_x and R_x for a write; and so on.
inline bool is_ordered(const VectorState& x, Sync& sync, Tid t, AccessKind kind, Previous& previous) {
  for (AccessKind earlier :
       {AccessKind::Write, AccessKind::Read, AccessKind::AtomicWrite, AccessKind::AtomicRead}) {
    if (!may_conflict(earlier, kind)) continue;
    const Tid u = x.last[u32(earlier)].first_above(sync.C(t), sync.counts());
    if (u == Clock::kAllCovered) continue;
    previous = Previous::of(sync.thread(u), earlier);
    return false;
  }
  return true;
}

} // namespace footrace::detectors
