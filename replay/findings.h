// Races of a trace as findings: the same type, text and JSON as those of a run.
#pragma once

#include "findings/finding.h"
#include "findings/symbolizer.h"
#include "replay/compose.h"
#include "replay/witness.h"

namespace footrace::replay {

class FindingBuilder {
public:
  // The source has been read to its end, so that it knows all sites.
  FindingBuilder(const EventSource& source, const ThreadLives& threads)
      : source_(source), threads_(threads) {}
  findings::Finding build(const Race& race, const detectors::Description& detector) const;
  findings::Finding build(const ComposedReport& report) const;

private:
  void append_frames(const TraceFrame& frame, bool inlined, findings::Stack& stack) const;
  findings::Stack stack_of(const Event& event) const;
  findings::Access access_of(const Step& step, const std::vector<Held>& locks) const;
  void add_thread(u32 thread, findings::Finding& finding) const;

  const EventSource& source_;
  const ThreadLives& threads_;
  // Of frames that are only a module and an offset: the modules lie one behind the other.
  mutable findings::Symbolizer symbolizer_;
  mutable std::vector<findings::Module> modules_;
};

// Findings of several detectors or shards as one list: the same pair of places is one finding, the one that came first in the trace, with
// the strongest evidence, and says who found it. By event.
class FindingList {
public:
  void add(findings::Finding finding);
  std::vector<findings::Finding> take();

private:
  std::map<std::string, findings::Finding> findings_; // by findings::repetition_key
};

} // namespace footrace::replay
