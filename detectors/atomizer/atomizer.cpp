#include "detectors/atomizer/atomizer.h"

namespace footrace::detectors {

Atomizer::Mover Atomizer::mover_of(const Event& e, bool may_race) {
  switch (e.kind) {
  case EventKind::Acquire:
  case EventKind::AcquireShared:
  case EventKind::Join:
  case EventKind::BarrierLeave:
    return Mover::Right;
  case EventKind::Release:
  case EventKind::ReleaseShared:
  case EventKind::Fork:
  case EventKind::BarrierArrive:
    return Mover::Left;
  case EventKind::Read:
  case EventKind::Write:
    return may_race ? Mover::None : Mover::Both;
  case EventKind::Alloc:
  case EventKind::Free:
  case EventKind::Exit:
    return Mover::Both;
  default:
    return Mover::None;
  }
}

void Atomizer::step(const Event& e, u64 index, std::vector<Violation>& violations) {
  Verdict verdict;
  eraser_.step(e, verdict);
  Thread& t = threads_[e.thread];
  if (e.kind == EventKind::Begin) {
    if (!t.depth++) t.is_committed = t.is_reported = false, t.begin = e, t.begin_index = index;
    return;
  }
  if (e.kind == EventKind::End) {
    t.depth -= t.depth != 0;
    return;
  }
  const Mover mover = mover_of(e, verdict.may_race);
  u64* const counts[] = {&both_, &right_, &left_, &none_};
  ++*counts[u32(mover)];
  if (!t.depth || t.is_reported || mover == Mover::Both) return;
  if (t.is_committed && mover != Mover::Left) {
    t.is_reported = true;
    violations.push_back({true, t.begin, t.begin_index,
                          mover == Mover::Right
                              ? "It acquires after it has released, so others may come between"
                              : "It has a second step that others may come before"});
  }
  t.is_committed |= mover != Mover::Right;
}

Cost Atomizer::cost() const {
  return {0,
          0,
          eraser_.cost().memory + threads_.size() * sizeof(Thread),
          {{"both_mover", both_}, {"right_mover", right_}, {"left_mover", left_}, {"non_mover", none_}}};
}

} // namespace footrace::detectors
