// BasicVC (PLDI'09, section 5.1): a read and a write clock for each variable, compared at every access. Guarantee: precise.
#pragma once

#include "detectors/common/access_detector.h"
#include "detectors/common/vector_state.h"

namespace footrace::detectors {

class BasicVCRules {
public:
  using State = VectorState;
  explicit BasicVCRules(Sync& sync) : sync_(sync) {}

  bool access(State& x, Tid t, AccessKind kind, Previous& previous) {
    ++(may_write(kind) ? writes_ : reads_);
    if (!is_ordered(x, sync_, t, kind, previous)) return false;
    x.of(kind).set(t, sync_.C(t).get(t), sync_.counts());
    return true;
  }
  void synchronize(const Event&, Tid) {}
  std::vector<RuleCount> counts() const { return {{"read", reads_}, {"write", writes_}}; }

private:
  Sync& sync_;
  u64 reads_ = 0, writes_ = 0;
};

using BasicVC = AccessDetector<BasicVCRules>;

} // namespace footrace::detectors
