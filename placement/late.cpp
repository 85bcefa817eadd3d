// The late phase: everything that the early phase has not covered.
#include "placement/bigfoot/cover.h"
#include "placement/eligible.h"
#include "placement/placement.h"
#include "placement/redcard/available.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace footrace {
namespace {

// Bits of context per function: blocks times paths. Beyond it the checks stay at their accesses.
constexpr uint64_t context_budget = uint64_t{1} << 26;

// A path is known at compile time and accessed whenever its instruction runs; the instruction does nothing else.
bool has_path(const PlannedAccess& planned, const Summaries& summaries) {
  const Access& access = planned.access;
  return !planned.left_out && !has_atomicity(access.kind) && access.extent == Extent::Fixed &&
         access.condition == Condition::Always && access.size != 0 &&
         summaries.effects(*access.inst).has_none();
}

BitVector with_path(const Plan& plan, const Summaries& summaries) {
  BitVector tracked(static_cast<unsigned>(plan.accesses.size()));
  for (unsigned i = 0; i < plan.accesses.size(); ++i)
    if (has_path(plan.accesses[i], summaries)) tracked.set(i);
  return tracked;
}

} // namespace

Plan plan_late(Function& function, RaceFreedom& race_freedom, const Summaries& summaries,
               const FunctionAnalyses& analyses, const PlacementOptions& options) {
  Plan plan = plan_accesses(function, race_freedom);
  if (options.placement != Placement::Every && may_place_in(function)) {
    const Paths paths(plan, with_path(plan, summaries), analyses.scev, analyses.dominators);
    if (uint64_t{paths.bits()} * function.size() > context_budget) {
      plan.beyond_budget = true;
    } else if (paths.bits() != 0) {
      const Steps steps(plan, paths, summaries, analyses);
      if (options.placement == Placement::RedCard)
        redcard::plan_available(plan, steps, paths, analyses);
      else
        bigfoot::Cover(plan, steps, paths, bigfoot::Contexts(steps, paths, analyses.loops), analyses).write();
    }
  }
  check_the_rest(plan);
  return plan;
}

} // namespace footrace
