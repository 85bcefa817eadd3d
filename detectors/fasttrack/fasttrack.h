// FastTrack (PLDI'09, Figures 2 and 5) on traces. Guarantee: precise; with coarse granularity (common/coarse.h) imprecise.
// Invariants: W is the epoch of the last plain write; R is the epoch of the last plain read if all other reads happen before it, or SHARED
// and `readers` is the join of all reads.
//
// Why the rule functions of the runtime (check/rules.h) are not called here: its words are 32 bits whose slots and clocks are renumbered
// when the world is stopped, its sets live in one arena of the process, its shadow lies at a fixed distance of the program's own addresses
// (which a trace would place over the replayer itself), and a write stamps R as well. Those are answers to threads that step at the same
// time, which a trace does not have. What both must do alike is tested: each against the oracle on the same random traces (tests/property,
// tests/replay).
// Deviations: [READ SHARED] in the same epoch counts as itself, as in the paper; atomic accesses conflict with plain ones only and have a
// history of their own, kept by the read rules.
#pragma once

#include "detectors/common/access_detector.h"

#include <memory>

namespace footrace::detectors {

// R_x: an epoch, or SHARED and a vector clock.
struct ReadHistory {
  Epoch epoch;
  Clock readers;
  bool is_shared() const { return !readers.is_bottom(); }
  void clear() { epoch = Epoch(), readers.clear(); }
};

struct FastTrackState {
  struct Atomics {
    ReadHistory reads, writes;
  };
  Epoch W;
  ReadHistory R;
  std::unique_ptr<Atomics> atomics;
  bool raced = false;

  FastTrackState() = default;
  FastTrackState(FastTrackState&&) = default;
  FastTrackState& operator=(FastTrackState&&) = default;
  FastTrackState(const FastTrackState& o)
      : W(o.W), R(o.R), atomics(o.atomics ? std::make_unique<Atomics>(*o.atomics) : nullptr), raced(o.raced) {
  }
  FastTrackState& operator=(const FastTrackState& o) { return *this = FastTrackState(o); }
  u64 bytes() const {
    return R.readers.bytes() +
           (atomics ? sizeof(Atomics) + atomics->reads.readers.bytes() + atomics->writes.readers.bytes() : 0);
  }
};

class FastTrackRules {
public:
  using State = FastTrackState;
  explicit FastTrackRules(Sync& sync) : sync_(sync) {}

  bool access(State& x, Tid t, AccessKind kind, Previous& previous);
  void synchronize(const Event&, Tid) {}
  std::vector<RuleCount> counts() const;

private:
  bool read(State& x, Tid t, Previous& previous);
  bool write(State& x, Tid t, Previous& previous);
  bool atomic(State& x, Tid t, AccessKind kind, Previous& previous);
  void remember_read(ReadHistory& R, Tid t);
  bool covers_write(const State& x, Tid t, Previous& previous) const;
  bool covers_history(const ReadHistory& R, Tid t, AccessKind kind, Previous& previous);

  Sync& sync_;
  u64 read_same_epoch_ = 0, read_shared_ = 0, read_exclusive_ = 0, read_share_ = 0;
  u64 write_same_epoch_ = 0, write_exclusive_ = 0, write_shared_ = 0;
};

using FastTrack = AccessDetector<FastTrackRules>;
using FastTrackCoarse = AccessDetector<FastTrackRules, Coarse>;

} // namespace footrace::detectors
