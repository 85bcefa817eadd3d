// The whole pipeline: from a prepared module to the tuples that no stage could rule out.
#pragma once

#include "prove/stages.h"

#include <array>
#include <memory>

namespace footrace::prove {

struct Analysis;

struct AnalysisOptions {
  PointsToOptions pointers;
  std::uint64_t crowd_limit = 1000000;       // tuples of one object that are compared
  std::size_t crowded_instance_limit = 5000; // of programs with crowds whose heap is analysed
  bool assume_queue_transfer = false;        // handed_over.h
  std::function<void(const char*)> progress = [](const char*) {}; // the name of the stage that begins
  // After each stage, with what it left. Tests plant faults here.
  std::function<void(Stage, std::vector<Tuple>&)> after_stage = [](Stage, std::vector<Tuple>&) {};
  // After each stage, when its result is part of the analysis. A stage may run several times.
  std::function<void(Stage, const Analysis&)> finished = [](Stage, const Analysis&) {};
};

struct Analysis {
  std::unique_ptr<PointsTo> pointers;
  std::unique_ptr<Accesses> accesses;
  std::unique_ptr<Executions> executions;
  std::unique_ptr<Joins> joins;
  std::unique_ptr<Threads> threads;
  std::unique_ptr<Escape> escape;
  std::unique_ptr<Equalities> equalities;
  std::unique_ptr<LockWords> lock_words;
  std::unique_ptr<Locks> locks;
  std::array<StageStatistics, stage_count> statistics;
  std::vector<Tuple> remaining;
  std::vector<Crowd> crowds;      // remain too
  std::set<ObjectId> handed_over; // objects about which the assumption of queues was used
  unsigned rounds = 0;            // of the conditional phase, until races and must-alias facts agreed
  bool timed_out = false;

  bool is_complete() const { return !timed_out && pointers->unmodelled().empty(); }
};

Analysis analyse(const llvm::Module& module, const AnalysisOptions& options = {});

} // namespace footrace::prove
