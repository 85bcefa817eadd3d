// SingleTrack (Sadowski, Freund and Flanagan, ESOP'09): deterministic parallelism. Fork, join and barriers order threads in the same way in
// every run; locks, volatile variables and atomics do not. A program whose conflicting steps are all ordered by the deterministic ones
// cannot do something else in another schedule.
// Rules: FastTrack's (fasttrack.h), on clocks that know of fork, join and barriers only; taking a lock, a volatile and an atomic access are
// themselves steps that conflict. So it needs no accesses that are free of races.
// Deviation: the paper also accepts regions that are serialisable as if they were one deterministic step (with Velodrome's graph); here
// they are reported. Its text was not at hand.
#pragma once

#include "detectors/common/checker.h"
#include "detectors/fasttrack/fasttrack.h"

namespace footrace::detectors {

class SingleTrack final : public Checker {
public:
  void step(const Event& event, u64 index, std::vector<Violation>& violations) override;
  Cost cost() const override;

private:
  void check(FastTrackState& x, Tid t, AccessKind kind, const char* why, std::vector<Violation>& violations);

  Sync sync_; // sees fork, join, exit and barriers
  FastTrackRules rules_{sync_};
  Shadow<FastTrackState> memory_;
  std::unordered_map<u64, FastTrackState> locks_, volatiles_;
};

} // namespace footrace::detectors
