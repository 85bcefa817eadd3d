#include "instrument/pass.h"

#include "instrument/emit.h"
#include "instrument/frames.h"
#include "instrument/module.h"
#include "instrument/options.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalIFunc.h"

using namespace llvm;

namespace footrace {
namespace {

using FunctionSet = SmallPtrSet<const Function*, 4>;

// They run while the program is being relocated, before the runtime can.
FunctionSet ifunc_resolvers(const Module& module) {
  FunctionSet resolvers;
  for (const GlobalIFunc& ifunc : module.ifuncs()) resolvers.insert(ifunc.getResolverFunction());
  return resolvers;
}

bool may_instrument(const Function& function, const FunctionSet& resolvers) {
  if (function.isDeclaration() || resolvers.contains(&function)) return false;
  if (function.hasFnAttribute(Attribute::Naked) ||
      function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
    return false;
  // Hooks that the runtime calls, and constructors made by sanitizers.
  const StringRef name = function.getName();
  return !name.starts_with("__footrace_") && !name.starts_with("__tsan_") && !name.starts_with("tsan.");
}

} // namespace

PreservedAnalyses FootracePass::run(Module& module, ModuleAnalysisManager& analyses) {
  const std::optional<PassOptions> options = read_options(module.getContext());
  if (!options || !claim_module(module)) return PreservedAnalyses::all();
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();

  // All plans come before the first check: a check takes the address of what it checks, which no analysis may
  // see.
  const FunctionSet resolvers = ifunc_resolvers(module);
  RaceFreedom race_freedom(options->race_freedom);
  std::vector<Plan> plans;
  PlanStats stats;
  for (Function& function : module) {
    if (!may_instrument(function, resolvers)) continue;
    make_library_atomics_fall_through(function);
    plans.push_back(plan_fasttrack(function, race_freedom));
    stats.add(plans.back());
  }

  Callbacks callbacks(module);
  SiteStrings strings(module);
  for (const Plan& plan : plans) {
    Function& function = *plan.function;
    SiteTable sites(function, strings);
    const bool calls = has_calls(function);
    const bool checks = Emitter(function, callbacks, sites, *options).emit(plan);
    sites.emit(linkage_);
    drop_memory_attributes_of_callees(function, functions.getResult<TargetLibraryAnalysis>(function));
    if (!calls && !checks) continue;
    if (options->function_entry) emit_frame(function, callbacks);
    drop_memory_attributes(function);
  }
  if (!plans.empty()) emit_registration(module, callbacks, strings, linkage_);
  if (options->stats) stats.print(module.getSourceFileName());
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
