// The late phase: everything that the early phase has not covered.
#include "placement/bigfoot/cover.h"
#include "placement/eligible.h"
#include "placement/placement.h"
#include "placement/redcard/available.h"
#include "placement/redcard/ranges.h"

#include "llvm/IR/Function.h"

using namespace llvm;

namespace footrace {
namespace {

// Accesses that are checked themselves change what is pending elsewhere; after so many rounds all of them are.
constexpr unsigned most_rounds = 6;

void plan_bigfoot(Plan& plan, const Steps& steps, const Paths& paths, const FunctionAnalyses& analyses) {
  bigfoot::Contexts contexts(steps, paths, analyses.loops);
  for (unsigned round = 1;; ++round) {
    bigfoot::Cover cover(plan, steps, paths, contexts, analyses);
    bigfoot::OwnChecks own = cover.wanted();
    if (!own.any()) return cover.write();
    own.accesses |= contexts.own().accesses;
    own.not_ahead |= contexts.own().not_ahead;
    if (round == most_rounds) own = {BitVector(paths.accesses(), true), PathSet(paths.bits(), true)};
    contexts.check_themselves(std::move(own));
  }
}

void place(Plan& plan, const BitVector& accesses, const Summaries& summaries,
           const FunctionAnalyses& analyses, const PlacementOptions& options, const redcard::Specs* specs) {
  const Paths paths(plan, accesses, analyses.scev, analyses.dominators);
  if (is_beyond_budget(paths, *plan.function)) return plan.fall_back(Fallback::Budget);
  if (paths.bits() == 0) return;
  const Steps steps(plan, paths, summaries, analyses, specs);
  if (options.placement == Placement::RedCard)
    redcard::plan_available(plan, steps, paths, analyses);
  else
    plan_bigfoot(plan, steps, paths, analyses);
}

} // namespace

Plan plan_late(Function& function, RaceFreedom& race_freedom, const Summaries& summaries,
               const FunctionAnalyses& analyses, const PlacementOptions& options,
               const redcard::Specs* specs) {
  Plan plan = plan_accesses(function, race_freedom);
  if (options.placement != Placement::Every && !may_place_in(function)) {
    plan.fall_back(Fallback::ControlFlow);
  } else if (options.placement != Placement::Every) {
    const BitVector accesses = accesses_with_path(plan, summaries);
    if (is_far_beyond_budget(accesses.count(), function))
      plan.fall_back(Fallback::Budget);
    else
      place(plan, accesses, summaries, analyses, options, specs);
  }
  check_the_rest(plan);
  if (options.placement == Placement::RedCard && may_place_in(function))
    redcard::plan_arrays(plan, summaries, analyses, {.queries = options.solver_queries});
  return plan;
}

} // namespace footrace
