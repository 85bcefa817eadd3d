// TL (PLDI'09, section 5.2): clears accesses to memory that only one thread has used so far. It warns of nothing. The access with which a
// second thread comes is passed on, and what the first one did is not.
#pragma once

#include "detectors/common/detector.h"
#include "detectors/common/shadow.h"

namespace footrace::detectors {

class ThreadLocal final : public Detector {
public:
  explicit ThreadLocal(Partition partition = {}) : memory_(partition) {}

  void step(const Event& e, Verdict& verdict) override {
    if (e.kind == EventKind::Alloc) return memory_.reset(e.target, e.extent);
    if (!has_access(e.kind)) return;
    memory_.for_each(e.target, e.extent, [&](State& x, const Bytes&) {
      if (!x.is_used) x.is_used = true, x.owner = e.thread;
      x.is_shared |= x.owner != e.thread;
      verdict.may_race |= x.is_shared;
    });
    ++(verdict.may_race ? shared_ : local_);
  }
  Cost cost() const override {
    return {0, 0, memory_.memory(), {{"thread_local", local_}, {"shared", shared_}}};
  }

private:
  struct State {
    bool is_used = false, is_shared = false;
    u32 owner = 0;
    u64 bytes() const { return 0; }
  };
  Shadow<State> memory_;
  u64 local_ = 0, shared_ = 0;
};

} // namespace footrace::detectors
