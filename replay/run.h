// One pass over a trace with any number of detectors, in memory that does not grow with the trace: events are read in batches, and each
// detector takes a whole batch, so that its time is its own.
#pragma once

#include "detectors/common/detector.h"
#include "events/source.h"

#include <unordered_set>

namespace footrace::replay {

// A warning, and the access that it is about; or, if it is deferred, the event at which it was said (the trace's end: Event()).
struct Report {
  u32 detector; // number in the run
  u64 index;    // of the event, from 0
  Event event;
  detectors::Warning warning;
};

struct TraceCounts {
  u64 events = 0, reads = 0, writes = 0;
};

struct Measured {
  const detectors::Description* description;
  detectors::Cost cost;
  double seconds = 0; // CPU time of its steps
  u64 warnings = 0;   // accesses that it warned of
};

class Run {
public:
  Run(std::vector<const detectors::Description*> detectors, detectors::Partition partition);

  // False: the source has an error.
  bool read(EventSource& source, bool writes_read = false);

  // By event, and then as the detectors were given. Of reports that only repeat what the same detector has said of the same place and memory, the first.
  std::vector<Report> take_reports();
  std::vector<Measured> measured() const;
  const TraceCounts& counts() const { return counts_; }
  double reading_seconds() const { return reading_seconds_; }

private:
  struct Subject {
    const detectors::Description* description;
    std::unique_ptr<detectors::Detector> detector;
    double seconds = 0;
    u64 warnings = 0;
  };
  void step_all(Subject& subject, u32 number, const std::vector<Event>& batch);
  void report(u32 number, u64 index, const Event& event, const detectors::Warning& warning);

  std::vector<Subject> subjects_;
  std::vector<Report> reports_;
  std::unordered_set<std::string> known_; // of predictive detectors, which warn again and again
  TraceCounts counts_;
  double reading_seconds_ = 0;
};

} // namespace footrace::replay
