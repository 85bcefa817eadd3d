// Atomizer (Flanagan and Freund, SCP'08, section 3): reduction. A block is atomic if its steps are right movers (acquires), at most one
// that moves nowhere, and left movers (releases): acquires and accesses that are free of races come first, then the commit point, then
// releases and accesses that are free of races. What is free of races, Eraser's lock sets say.
// Guarantee: imprecise, as Eraser is: false alarms where other things than locks order. Finds blocks that another order would break, not
// only those that this one did.
// Deviations: fork, arrive and whatever publishes move left, join, leave and whatever learns move right; atomic and volatile accesses move
// nowhere. A block is reported once each time that it runs.
#pragma once

#include "detectors/common/checker.h"
#include "detectors/eraser/eraser.h"

namespace footrace::detectors {

class Atomizer final : public Checker {
public:
  void step(const Event& event, u64 index, std::vector<Violation>& violations) override;
  Cost cost() const override;

private:
  enum class Mover : u8 { Both, Right, Left, None };
  struct Thread {
    u64 depth = 0;
    bool is_committed = false, is_reported = false;
    Event begin;
    u64 begin_index = 0;
  };
  static Mover mover_of(const Event& event, bool may_race);

  std::unordered_map<u32, Thread> threads_;
  Eraser eraser_;
  u64 both_ = 0, right_ = 0, left_ = 0, none_ = 0;
};

} // namespace footrace::detectors
