// Eraser (Savage et al., TOCS'97, Figures 3 and 4: virgin, exclusive, shared, shared-modified; C(v) and read-write locks), with barriers as
// FastTrack's paper extends it (PLDI'09, section 5.1, after MultiRace): what was accessed before a barrier is virgin to whoever has left
// it.
// Guarantee: imprecise. False alarms: memory that is handed over by fork, join, volatile variables or atomics. Misses: whatever happens
// while one thread has the memory for itself or before it is written in the state `shared`, and the wrong lock that happens to be held.
// Deviations: atomic accesses are synchronisation and no accesses; a free makes memory virgin, as an alloc does.
#pragma once

#include "detectors/common/detector.h"
#include "detectors/common/lock_sets.h"
#include "detectors/common/shadow.h"

namespace footrace::detectors {

struct EraserState {
  enum class Phase : u8 { Virgin, Exclusive, Shared, SharedModified };
  Phase phase = Phase::Virgin;
  bool raced = false;
  u32 owner = 0;          // while exclusive
  LockSet candidates = 0; // C(v), once shared
  u64 barriers = 0;       // that the last accessing thread had left
  u64 bytes() const { return 0; }
};

class Eraser final : public Detector {
public:
  explicit Eraser(Partition partition = {}) : memory_(partition) {}
  void step(const Event& event, Verdict& verdict) override;
  Cost cost() const override;

private:
  bool access(EraserState& x, u32 thread, bool is_write);
  void leave_barrier(const Event& event);

  LockSets sets_;
  HeldLocks held_{sets_};
  Shadow<EraserState> memory_;
  // The generations that threads have left, counted in the order in which they open; a generation is forgotten when all have left it.
  struct Barrier {
    u64 inside = 0, number = 0;
  };
  u64 opened_ = 0;
  std::map<std::pair<u64, u64>, Barrier> barriers_;
  std::unordered_map<u32, u64> left_; // by thread
  u64 virgin_ = 0, exclusive_ = 0, shared_ = 0, shared_modified_ = 0, barrier_resets_ = 0;
};

} // namespace footrace::detectors
