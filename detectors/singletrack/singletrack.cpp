#include "detectors/singletrack/singletrack.h"

namespace footrace::detectors {

void SingleTrack::check(FastTrackState& x, Tid t, AccessKind kind, const char* why,
                        std::vector<Violation>& violations) {
  Previous previous;
  if (x.raced || rules_.access(x, t, kind, previous)) return;
  x = FastTrackState();
  x.raced = true;
  if (violations.empty()) violations.push_back({false, {}, 0, why}); // one for an event
}

void SingleTrack::step(const Event& e, u64, std::vector<Violation>& violations) {
  switch (e.kind) {
  case EventKind::Fork:
  case EventKind::Join:
  case EventKind::BarrierArrive:
  case EventKind::BarrierLeave:
    return sync_.after(e, sync_.before(e));
  case EventKind::Alloc:
    return memory_.reset(e.target, e.extent);
  default:
    break;
  }
  Event nothing = e; // the thread's number
  nothing.kind = EventKind::Exit;
  const Tid t = sync_.before(nothing);
  const auto write_if = [](bool writes) { return writes ? AccessKind::Write : AccessKind::Read; };
  switch (e.kind) {
  case EventKind::Acquire:
  case EventKind::AcquireShared:
    return check(locks_[e.target], t, write_if(e.kind == EventKind::Acquire),
                 "Which thread takes the lock first is up to the schedule", violations);
  case EventKind::VolatileRead:
  case EventKind::VolatileWrite:
    return check(volatiles_[e.target], t, write_if(e.kind == EventKind::VolatileWrite),
                 "What is read is up to the schedule", violations);
  default:
    if (!has_access(e.kind)) return;
    memory_.for_each(e.target, e.extent, [&](FastTrackState& x, const Bytes&) {
      check(x, t, write_if(may_write(kind_of(e.kind))), "What is read or written last is up to the schedule",
            violations);
    });
  }
}

Cost SingleTrack::cost() const {
  return {sync_.counts().allocated, sync_.counts().operations, sync_.memory() + memory_.memory(),
          rules_.counts()};
}

} // namespace footrace::detectors
