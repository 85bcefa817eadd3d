// The early phase: checks that leave loops, before the vectoriser. Everything else stays where it is until the late phase.
#include "placement/bigfoot/ranges.h"
#include "placement/eligible.h"
#include "placement/placement.h"
#include "placement/redcard/ranges.h"

using namespace llvm;

namespace footrace {

Plan plan_early(Function& function, RaceFreedom& race_freedom, const Summaries& summaries,
                const FunctionAnalyses& analyses, const PlacementOptions& options) {
  Plan plan = plan_accesses(function, race_freedom);
  if (options.placement == Placement::BigFoot && may_place_in(function)) {
    bigfoot::LoopChecks(plan, analyses, summaries).write();
    redcard::drop_available_ranges(plan, summaries, analyses, {.queries = options.solver_queries});
  }
  check_the_rest(plan);
  return plan;
}

} // namespace footrace
