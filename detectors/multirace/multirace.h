// MultiRace (Pozniansky and Schuster, CCPE'07) as FastTrack's paper has it (PLDI'09, section 5.1): DJIT+'s clocks, and Eraser's states and
// lock sets for each variable. The lock set is updated at the first access of an epoch, and clocks are compared only once it is empty.
// Guarantee: imprecise. No false alarm: what it warns of was compared. Misses: as Eraser's states do, races of memory before it is shared
// or modified, and pairs before the lock set was empty.
// Deviation: atomic accesses have no lock set and are always compared.
#pragma once

#include "detectors/common/access_detector.h"
#include "detectors/common/lock_sets.h"
#include "detectors/common/vector_state.h"

namespace footrace::detectors {

struct MultiRaceState : VectorState {
  enum class Phase : u8 { Virgin, Exclusive, Shared, SharedModified };
  Phase phase = Phase::Virgin;
  Tid owner = 0;
  LockSet candidates = 0;
};

class MultiRaceRules {
public:
  using State = MultiRaceState;
  explicit MultiRaceRules(Sync& sync) : sync_(sync) {}

  bool access(State& x, Tid t, AccessKind kind, Previous& previous) {
    Clock& mine = x.of(kind);
    if (mine.get(t) == sync_.C(t).get(t)) return ++same_epoch_;
    const bool must_compare = is_atomic(kind) || is_unprotected(x, t, kind);
    ++(must_compare ? compare_ : lock_set_);
    if (must_compare && !is_ordered(x, sync_, t, kind, previous)) return false;
    mine.set(t, sync_.C(t).get(t), sync_.counts());
    return true;
  }
  void synchronize(const Event& e, Tid) { held_.step(e); }
  std::vector<RuleCount> counts() const {
    return {{"same_epoch", same_epoch_}, {"lock_set", lock_set_}, {"compare", compare_}};
  }

private:
  bool is_unprotected(State& x, Tid t, AccessKind kind) {
    const u32 thread = sync_.thread(t);
    const LockSet held = may_write(kind) ? held_.exclusive(thread) : held_.any(thread);
    switch (x.phase) {
    case State::Phase::Virgin:
      x.phase = State::Phase::Exclusive, x.owner = t;
      return false;
    case State::Phase::Exclusive:
      if (x.owner == t) return false;
      x.phase = may_write(kind) ? State::Phase::SharedModified : State::Phase::Shared;
      x.candidates = held;
      break;
    case State::Phase::Shared:
      if (may_write(kind)) x.phase = State::Phase::SharedModified;
      [[fallthrough]];
    case State::Phase::SharedModified:
      x.candidates = sets_.intersection(x.candidates, held);
    }
    return x.phase == State::Phase::SharedModified && x.candidates == kNoLocks;
  }

  Sync& sync_;
  LockSets sets_;
  HeldLocks held_{sets_};
  u64 same_epoch_ = 0, lock_set_ = 0, compare_ = 0;
};

using MultiRace = AccessDetector<MultiRaceRules>;

} // namespace footrace::detectors
