#include "detectors/eraser/eraser.h"

namespace footrace::detectors {

// The state machine of Figure 4. False: the set of candidates is empty.
bool Eraser::access(EraserState& x, u32 thread, bool is_write) {
  using Phase = EraserState::Phase;
  const u64 left = left_[thread];
  if (x.barriers < left && x.phase != Phase::Virgin) x = EraserState(), ++barrier_resets_;
  x.barriers = max(x.barriers, left);
  const LockSet held = is_write ? held_.exclusive(thread) : held_.any(thread);
  switch (x.phase) {
  case Phase::Virgin:
    ++virgin_;
    x.phase = Phase::Exclusive, x.owner = thread;
    return true;
  case Phase::Exclusive:
    if (x.owner == thread) return ++exclusive_;
    x.phase = is_write ? Phase::SharedModified : Phase::Shared;
    x.candidates = held;
    break;
  case Phase::Shared:
    if (is_write) x.phase = Phase::SharedModified;
    [[fallthrough]];
  case Phase::SharedModified:
    x.candidates = sets_.intersection(x.candidates, held);
  }
  ++(x.phase == Phase::Shared ? shared_ : shared_modified_);
  return x.phase == Phase::Shared || x.candidates != kNoLocks;
}

void Eraser::leave_barrier(const Event& e) {
  const auto found = barriers_.find({e.target, e.extent});
  if (found == barriers_.end()) return;
  Barrier& barrier = found->second;
  if (!barrier.number) barrier.number = ++opened_;
  left_[e.thread] = max(left_[e.thread], barrier.number);
  if (--barrier.inside == 0) barriers_.erase(found);
}

void Eraser::step(const Event& e, Verdict& verdict) {
  held_.step(e);
  switch (e.kind) {
  case EventKind::Alloc:
  case EventKind::Free:
    return memory_.reset(e.target, e.extent);
  case EventKind::BarrierArrive:
    ++barriers_[{e.target, e.extent}].inside;
    return;
  case EventKind::BarrierLeave:
    return leave_barrier(e);
  case EventKind::Read:
  case EventKind::Write:
    return memory_.for_each(e.target, e.extent, [&](EraserState& x, const Bytes& bytes) {
      if (x.raced) {
        verdict.may_race = true;
      } else if (!access(x, e.thread, e.kind == EventKind::Write)) {
        x.raced = true;
        bytes.for_each_run([&](u64 address, u64 size) { verdict.warn(address, size, Previous()); });
      }
    });
  default:
    return;
  }
}

Cost Eraser::cost() const {
  return {0,
          0,
          memory_.memory() + sets_.memory(),
          {{"virgin", virgin_},
           {"exclusive", exclusive_},
           {"shared", shared_},
           {"shared_modified", shared_modified_},
           {"barrier", barrier_resets_}}};
}

} // namespace footrace::detectors
