// SHB, "schedulable happens-before" (Mathur, Kini and Viswanathan, OOPSLA'18, Algorithm 1): happens-before and, besides, each read after
// the write whose value it read. What is not ordered by it can be made to happen next to each other by a reordering of this trace in which
// every read still reads what it read: so all races of a trace are real, not only the first.
// Guarantee: predictive. An access is reported each time that it races, with each thread and kind of access that it races with: the last of
// its accesses is one.
// State: R_x, W_x (VectorState), and LW_x, the clock of the last write. The check of a read comes before it learns LW_x, so that the pair
// of a write and its own reader is found.
// Deviations: atomic accesses read from atomic writes in the same way, whatever their order; an allocation is a write that races with
// nothing.
#pragma once

#include "detectors/common/blocks.h"
#include "detectors/common/shadow.h"
#include "detectors/common/vector_state.h"

namespace footrace::detectors {

class Shb final : public Detector {
public:
  explicit Shb(Partition = {}) {}
  void assume_writes_read() override { writes_read_ = true; }
  void step(const Event& event, Verdict& verdict) override;
  Cost cost() const override;

private:
  struct State : VectorState {
    Clock last_write; // LW_x
    u64 bytes() const { return VectorState::bytes() + last_write.bytes(); }
  };
  bool may_read(EventKind kind) const {
    return kind == EventKind::Read || may_read_atomically(kind) || (writes_read_ && kind == EventKind::Write);
  }
  void learn_writes(const Event& event, Tid t);
  void check(State& x, Tid t, AccessKind kind, const Bytes& bytes, Verdict& verdict);

  Sync sync_;
  bool writes_read_ = false;
  Shadow<State> memory_;
  Blocks<Clock> allocations_; // LW_x of memory that was not written since
  u64 read_ = 0, write_ = 0;
};

} // namespace footrace::detectors
