// The late phase: everything that the early phase has not covered.
#include "placement/bigfoot/cover.h"
#include "placement/eligible.h"
#include "placement/placement.h"
#include "placement/redcard/available.h"
#include "placement/redcard/ranges.h"

#include "llvm/IR/Function.h"

using namespace llvm;

namespace footrace {
Plan plan_late(Function& function, RaceFreedom& race_freedom, const Summaries& summaries,
               const FunctionAnalyses& analyses, const PlacementOptions& options,
               const redcard::Specs* specs) {
  Plan plan = plan_accesses(function, race_freedom);
  if (options.placement != Placement::Every && !may_place_in(function)) {
    plan.fall_back(Fallback::ControlFlow);
  } else if (options.placement != Placement::Every) {
    const Paths paths(plan, accesses_with_path(plan, summaries), analyses.scev, analyses.dominators);
    if (is_beyond_budget(paths, function)) {
      plan.fall_back(Fallback::Budget);
    } else if (paths.bits() != 0) {
      const Steps steps(plan, paths, summaries, analyses, specs);
      if (options.placement == Placement::RedCard)
        redcard::plan_available(plan, steps, paths, analyses);
      else
        bigfoot::Cover(plan, steps, paths, bigfoot::Contexts(steps, paths, analyses.loops), analyses).write();
    }
  }
  check_the_rest(plan);
  if (options.placement == Placement::RedCard && may_place_in(function))
    redcard::plan_arrays(plan, summaries, analyses, {.queries = options.solver_queries});
  return plan;
}

} // namespace footrace
