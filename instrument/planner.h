// Makes the plans of a module as its preset wants them, and measures how long that takes.
#pragma once

#include "instrument/explain.h"
#include "instrument/options.h"
#include "placement/placement.h"
#include "placement/redcard/specs.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/PassManager.h"

#include <chrono>
#include <memory>

namespace footrace {

class Planner {
public:
  Planner(llvm::Module& module, const PassOptions& options, llvm::FunctionAnalysisManager& analyses);

  // The plans of all functions that may be instrumented. All of them are made before the first is emitted: a check takes the address of
  // what it checks, which no analysis may see.
  std::vector<Plan> plans(Phase phase);

  // What the expressions of a plan belong to.
  FunctionAnalyses analyses(llvm::Function& function);
  // Adds to the statistics what became known after planning.
  void count(Fallback why, uint64_t count) { stats_.add(why, count); }
  // What was checked and what was not, and where the time went.
  void print_stats(Phase phase) const;

private:
  struct Timing {
    const llvm::Function* function;
    std::chrono::nanoseconds time;
  };

  bool may_instrument(const llvm::Function& function) const;
  const Summaries& summaries();
  const redcard::Specs& specs();
  Plan plan(llvm::Function& function, Phase phase);
  void add_proxies(std::vector<Plan>& plans, Phase phase);

  llvm::Module& module_;
  const PassOptions& options_;
  llvm::FunctionAnalysisManager& managers_;
  llvm::SmallPtrSet<const llvm::Function*, 4> resolvers_; // of ifuncs
  RaceFreedom race_freedom_;
  std::unique_ptr<Summaries> summaries_;
  std::unique_ptr<redcard::Specs> specs_;
  unsigned solver_queries_; // that may still be in vain in the rest of the module
  PlanStats stats_;
  std::vector<Timing> timings_;
  std::chrono::nanoseconds summary_time_{};
};

} // namespace footrace
