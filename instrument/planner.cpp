#include "instrument/planner.h"

#include "instrument/emit.h"
#include "placement/proxies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>

using namespace llvm;

namespace footrace {
namespace {

// The processor's time of this thread: other work on the machine does not count.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static time_point now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

// Functions below this are summed up.
constexpr std::chrono::microseconds worth_a_line{100};

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

} // namespace

Planner::Planner(Module& module, const PassOptions& options, FunctionAnalysisManager& analyses)
    : module_(module), options_(options), managers_(analyses), race_freedom_(options.race_freedom),
      solver_queries_(options.solver_queries) {
  // They run while the program is being relocated, before the runtime can.
  for (const GlobalIFunc& ifunc : module.ifuncs()) resolvers_.insert(ifunc.getResolverFunction());
}

bool Planner::may_instrument(const Function& function) const {
  if (function.isDeclaration() || resolvers_.contains(&function)) return false;
  if (function.hasFnAttribute(Attribute::Naked) ||
      function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
    return false;
  // Hooks that the runtime calls, and constructors made by sanitizers.
  const StringRef name = function.getName();
  return !name.starts_with("__footrace_") && !name.starts_with("__tsan_") && !name.starts_with("tsan.");
}

FunctionAnalyses Planner::analyses(Function& function) {
  return {managers_.getResult<LoopAnalysis>(function), managers_.getResult<ScalarEvolutionAnalysis>(function),
          managers_.getResult<DominatorTreeAnalysis>(function)};
}

const Summaries& Planner::summaries() {
  if (summaries_ == nullptr) {
    const Clock::time_point begin = Clock::now();
    summaries_ = std::make_unique<Summaries>(module_, World::File,
                                             [this](Function& function) { return analyses(function); });
    summary_time_ = Clock::now() - begin;
  }
  return *summaries_;
}

// Requires and ensures: of the late phase only, which places the checks that they are about.
const redcard::Specs& Planner::specs() {
  if (specs_ == nullptr) {
    const Clock::time_point begin = Clock::now();
    specs_ = std::make_unique<redcard::Specs>(
        module_, summaries(), race_freedom_, [this](Function& function) { return analyses(function); },
        [this](const Function& function) { return may_instrument(function); });
    summary_time_ += Clock::now() - begin;
  }
  return *specs_;
}

Plan Planner::plan(Function& function, Phase phase) {
  // Every access: nothing to analyse, and nothing to pay for.
  if (options_.placement.placement == Placement::Every) return plan_fasttrack(function, race_freedom_);
  const FunctionAnalyses needed = analyses(function);
  PlacementOptions placement = options_.placement;
  placement.solver_queries = std::min(placement.solver_queries, solver_queries_);
  Plan plan = phase == Phase::Early
                  ? plan_early(function, race_freedom_, summaries(), needed, placement)
                  : plan_late(function, race_freedom_, summaries(), needed, placement, &specs());
  solver_queries_ -= plan.queries_in_vain;
  return plan;
}

std::vector<Plan> Planner::plans(Phase phase) {
  std::vector<Function*> functions;
  for (Function& function : module_) {
    if (!may_instrument(function)) continue;
    if (make_library_atomics_fall_through(function))
      managers_.invalidate(function, PreservedAnalyses::none());
    functions.push_back(&function);
  }
  if (options_.placement.placement != Placement::Every) summaries();
  if (options_.placement.placement != Placement::Every && phase == Phase::Late) specs();
  std::vector<Plan> plans;
  for (Function* function : functions) {
    const Clock::time_point begin = Clock::now();
    // The early phase is about loops.
    if (phase == Phase::Early && managers_.getResult<LoopAnalysis>(*function).empty()) continue;
    plans.push_back(plan(*function, phase));
    timings_.push_back({function, Clock::now() - begin});
  }
  add_proxies(plans, phase);
  Explanation explanation;
  for (const Plan& plan : plans) {
    stats_.add(plan);
    if (!options_.explain_file.empty()) explanation.add(plan, phase);
  }
  if (!options_.explain_file.empty()) explanation.write(options_.explain_file, module_.getContext());
  return plans;
}

// What a race on a proxy may hide, address precision promises to find.
void Planner::add_proxies(std::vector<Plan>& plans, Phase phase) {
  const PlacementOptions& placement = options_.placement;
  if (placement.placement == Placement::Every || placement.address_precision || !placement.proxies) return;
  const Clock::time_point begin = Clock::now();
  const auto has_checks = [this](const Instruction& inst) { return may_instrument(*inst.getFunction()); };
  if (phase == Phase::Early)
    use_array_proxies(plans, module_, summaries());
  else
    use_proxies(plans, ClosedGlobals(module_, has_checks), summaries());
  summary_time_ += Clock::now() - begin;
}

void Planner::print_stats(Phase phase) const {
  stats_.print((module_.getSourceFileName() + (phase == Phase::Early ? " before the vectoriser" : "")));
  std::vector<Timing> slowest = timings_;
  std::chrono::nanoseconds sum{};
  for (const Timing& timing : slowest) sum += timing.time;
  llvm::sort(slowest, [](const Timing& a, const Timing& b) { return a.time > b.time; });
  errs() << format("%10.2f ms of analysis in %zu function%s, and %.2f ms for the summaries of calls\n",
                   milliseconds(sum), slowest.size(), slowest.size() == 1 ? "" : "s",
                   milliseconds(summary_time_));
  for (const Timing& timing : slowest) {
    if (timing.time < worth_a_line) break;
    sum -= timing.time;
    errs() << format("%10.2f ms ", milliseconds(timing.time)) << timing.function->getName() << '\n';
  }
  errs() << format("%10.2f ms in functions of less than %.1f ms\n", milliseconds(sum),
                   milliseconds(worth_a_line));
}

} // namespace footrace
