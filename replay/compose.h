// Two analyses in a row (PLDI'09, section 5.2): a detector that clears accesses, and a checker that gets all other events. As in the paper,
// an access that is cleared may turn out to be part of a race later, so a prefilter costs a little coverage.
#pragma once

#include "detectors/common/checker.h"
#include "replay/witness.h"

namespace footrace::replay {

struct Choice {
  const detectors::Description* prefilter; // null: none
  const detectors::CheckerDescription* checker;
};
std::string name_of(const Choice& choice); // "FastTrack:Velodrome"

struct ComposedReport {
  Choice choice;
  u64 index;
  Event event;
  std::vector<Held> locks;
  detectors::Violation violation;
};

struct MeasuredChoice {
  Choice choice;
  double seconds = 0;
  u64 passed = 0; // plain accesses that the checker saw
  detectors::Cost cost;
};

class ComposedRun {
public:
  explicit ComposedRun(const std::vector<Choice>& choices);
  // False: the source has an error.
  bool read(EventSource& source);

  std::vector<ComposedReport> reports; // the first of each block and place, by choice
  const ThreadLives& threads() const { return threads_; }
  std::vector<MeasuredChoice> measured() const;
  double reading_seconds = 0, empty_seconds = 0; // of the Empty detector's steps, to compare with
  u64 events = 0, accesses = 0;

private:
  struct Stages {
    Choice choice;
    std::unique_ptr<detectors::Detector> prefilter;
    std::unique_ptr<detectors::Checker> checker;
    double seconds = 0;
    u64 passed = 0;
    std::unordered_set<std::string> known;
  };
  void step_all(Stages& stages, const std::vector<Event>& batch);
  void collect(Stages& stages, const std::vector<Event>& batch,
               const std::vector<std::pair<size_t, detectors::Violation>>& found);

  std::vector<Stages> stages_;
  ThreadLives threads_;
  HeldByThreads held_; // before the batch
};

// Section 5.2's table: a row for each checker, a column for each prefilter; how many times slower than Empty, or without times the share of
// accesses that were passed on.
std::string write_composition(const ComposedRun& run, bool with_times);

} // namespace footrace::replay
