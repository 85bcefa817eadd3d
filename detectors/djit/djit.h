// DJIT+ as FastTrack's paper has it (PLDI'09, Figure 2, right column): [DJIT+ READ SAME EPOCH] [DJIT+ READ] [DJIT+ WRITE SAME EPOCH] [DJIT+ WRITE].
// Guarantee: precise. Deviation: atomic accesses have the rules of the kind that they are, with clocks of their own.
#pragma once

#include "detectors/common/access_detector.h"
#include "detectors/common/vector_state.h"

namespace footrace::detectors {

class DjitRules {
public:
  using State = VectorState;
  explicit DjitRules(Sync& sync) : sync_(sync) {}

  bool access(State& x, Tid t, AccessKind kind, Previous& previous) {
    if (is_same_epoch(x, t, kind)) return true;
    ++(may_write(kind) ? write_ : read_);
    if (!is_ordered(x, sync_, t, kind, previous)) return false;
    x.of(kind).set(t, sync_.C(t).get(t), sync_.counts());
    return true;
  }
  void synchronize(const Event&, Tid) {}
  std::vector<RuleCount> counts() const {
    return {{"read_same_epoch", read_same_epoch_},
            {"read", read_},
            {"write_same_epoch", write_same_epoch_},
            {"write", write_}};
  }

private:
  bool is_same_epoch(State& x, Tid t, AccessKind kind) {
    const bool same = x.of(kind).get(t) == sync_.C(t).get(t);
    (may_write(kind) ? write_same_epoch_ : read_same_epoch_) += same;
    return same;
  }

  Sync& sync_;
  u64 read_same_epoch_ = 0, read_ = 0, write_same_epoch_ = 0, write_ = 0;
};

using Djit = AccessDetector<DjitRules>;

} // namespace footrace::detectors
