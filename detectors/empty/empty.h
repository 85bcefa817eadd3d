// Empty (PLDI'09, section 5.1): no analysis; what reading the trace and calling a detector costs.
#pragma once

#include "detectors/common/detector.h"

namespace footrace::detectors {

class Empty final : public Detector {
public:
  explicit Empty(Partition = {}) {}
  void step(const Event&, Verdict& verdict) override { verdict.may_race = true; } // it clears nobody
  Cost cost() const override { return {}; }
};

} // namespace footrace::detectors
