// A detector that has a state for every byte, and rules for reads and writes of it (Rules): what BasicVC, DJIT+, MultiRace, FastTrack and SHB share.
// After its first race a byte is left alone until it is allocated again; its neighbours are not.
//
//   struct Rules {
//     using State = ...;                     // with `bool raced` and `u64 bytes()`
//     explicit Rules(Sync&);
//     // The rule for the access. False: it races with `previous`.
//     bool access(State&, Tid, AccessKind, Previous& previous);
//     void synchronize(const Event&, Tid);   // sees every event behind the rule of sync.h
//     std::vector<RuleCount> counts() const;
//   };
#pragma once

#include "detectors/common/coarse.h"
#include "detectors/common/detector.h"
#include "detectors/common/shadow.h"
#include "detectors/common/sync.h"

namespace footrace::detectors {

template <class Rules, template <class> class Memory = Shadow> class AccessDetector : public Detector {
public:
  explicit AccessDetector(Partition partition = {}) : memory_(partition) {}

  void step(const Event& e, Verdict& verdict) override {
    const Tid t = sync_.before(e);
    if (e.kind == EventKind::Alloc)
      memory_.reset(e.target, e.extent);
    else if (has_access(e.kind))
      access(e, t, verdict);
    sync_.after(e, t);
    rules_.synchronize(e, t);
  }

  Cost cost() const override {
    return {sync_.counts().allocated, sync_.counts().operations, sync_.memory() + memory_.memory(),
            rules_.counts()};
  }

private:
  void access(const Event& e, Tid t, Verdict& verdict) {
    const AccessKind kind = kind_of(e.kind);
    memory_.for_each(e.target, e.extent, [&](typename Rules::State& x, const auto& bytes) {
      if (x.raced) {
        verdict.may_race = true;
        return;
      }
      Previous previous;
      if (rules_.access(x, t, kind, previous)) return;
      x = typename Rules::State();
      x.raced = true;
      bytes.for_each_run([&](u64 address, u64 size) { verdict.warn(address, size, previous); });
    });
  }

  Sync sync_;
  Rules rules_{sync_};
  Memory<typename Rules::State> memory_;
};

} // namespace footrace::detectors
