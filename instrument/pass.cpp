#include "instrument/pass.h"

#include "instrument/emit.h"
#include "instrument/frames.h"
#include "instrument/module.h"
#include "instrument/options.h"
#include "instrument/planner.h"
#include "instrument/prefetch.h"
#include "instrument/steady_bases.h"
#include "placement/marks.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace footrace {

PreservedAnalyses FootraceEarlyPass::run(Module& module, ModuleAnalysisManager& analyses) {
  const std::optional<PassOptions> options = read_options(module);
  if (!options || options->placement.placement != Placement::BigFoot || has_claim(module))
    return PreservedAnalyses::all();
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  bool changed = false;
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    const PreservedAnalyses left = SteadyBasesPass().run(function, functions);
    functions.invalidate(function, left);
    changed |= !left.areAllPreserved();
  }
  Planner planner(module, *options, functions);
  Callbacks callbacks(module);
  SiteStrings strings(module);
  const auto analyses_of = [&](Function& function) { return planner.analyses(function); };
  for (const Plan& plan : planner.plans(Phase::Early)) {
    Function& function = *plan.function;
    SiteTable sites(function, strings);
    Emitter emitter(function, callbacks, sites, *options, analyses_of, InLineLimits());
    const bool checks = emitter.emit_early(plan);
    planner.count(Fallback::NotComputable, emitter.not_computable());
    sites.emit(linkage_);
    if (!checks) continue;
    changed = true;
    drop_memory_attributes(function);
  }
  if (options->stats) planner.print_stats(Phase::Early);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses FootracePass::run(Module& module, ModuleAnalysisManager& analyses) {
  const std::optional<PassOptions> options = read_options(module);
  if (!options || !claim_module(module)) return PreservedAnalyses::all();
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  Planner planner(module, *options, functions);
  const std::vector<Plan> plans = planner.plans(Phase::Late);

  Callbacks callbacks(module);
  SiteStrings strings(module);
  const auto analyses_of = [&](Function& function) { return planner.analyses(function); };
  const InLineLimits limits = in_line_limits(plans, analyses_of);
  for (const Plan& plan : plans) {
    Function& function = *plan.function;
    SiteTable sites(function, strings);
    const bool calls = has_calls(function);
    Emitter emitter(function, callbacks, sites, *options, analyses_of, limits);
    const bool checks = emitter.emit(plan);
    planner.count(Fallback::NotComputable, emitter.not_computable());
    sites.emit(linkage_);
    drop_cover_marks(function);
    if (checks) prefetch_shadow(function);
    drop_memory_attributes_of_callees(function, functions.getResult<TargetLibraryAnalysis>(function));
    if (!calls && !checks) continue;
    if (linkage_ == SiteLinkage::Alone) keep_out_of_callers(function);
    if (options->function_entry) emit_frame(function, callbacks);
    drop_memory_attributes(function);
  }
  if (!plans.empty()) emit_registration(module, callbacks, strings, linkage_, options->features);
  if (options->stats) planner.print_stats(Phase::Late);
  return PreservedAnalyses::none();
}

PreservedAnalyses FootraceNamesPass::run(Module& module, ModuleAnalysisManager&) {
  for (Function& function : module) {
    DISubprogram* subprogram = function.getSubprogram();
    if (subprogram == nullptr || !subprogram->getLinkageName().empty()) continue;
    if (subprogram->getName() == function.getName()) continue; // C: the name is the linkage name
    subprogram->replaceLinkageName(MDString::get(module.getContext(), function.getName()));
  }
  return PreservedAnalyses::all();
}

} // namespace footrace
