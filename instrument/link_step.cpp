#include "instrument/link_step.h"

#include "facts/imported.h"
#include "facts/summaries.h"
#include "facts/virtual_callees.h"
#include "instrument/options.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace footrace {
namespace {

constexpr StringLiteral flag = "footrace-link-step";
constexpr StringLiteral missing = "__footrace_link_step_without_load_pass_plugin";
constexpr StringLiteral reference = "__footrace_link_step";

void erase_if_unused(GlobalVariable& variable) {
  variable.removeDeadConstantUsers(); // the old list of used variables
  if (variable.use_empty()) variable.eraseFromParent();
}

} // namespace

PreservedAnalyses LeaveToLinkStepPass::run(Module& module, ModuleAnalysisManager&) {
  const std::optional<PassOptions> options = read_options(module);
  if (!options || options_of_link_step(module)) return PreservedAnalyses::all();
  LLVMContext& context = module.getContext();
  // Files that want different checks cannot be one module.
  module.addModuleFlag(Module::Error, flag, MDString::get(context, words_of(*options)));
  auto* symbol = new GlobalVariable(module, Type::getInt8Ty(context), /*isConstant=*/true,
                                    GlobalValue::ExternalLinkage, nullptr, missing);
  auto* use = new GlobalVariable(module, symbol->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                 symbol, reference);
  appendToUsed(module, {use});
  return PreservedAnalyses::none();
}

std::optional<StringRef> options_of_link_step(const Module& module) {
  const auto* words = dyn_cast_or_null<MDString>(module.getModuleFlag(flag));
  if (words == nullptr) return std::nullopt;
  return words->getString();
}

void take_over(Module& module) {
  // One reference per file: the linker has renamed all but the first.
  removeFromUsedLists(
      module, [](Constant* used) { return used->stripPointerCasts()->getName().starts_with(reference); });
  for (GlobalVariable& variable : make_early_inc_range(module.globals()))
    if (variable.hasPrivateLinkage() && variable.getName().starts_with(reference)) erase_if_unused(variable);
  if (GlobalVariable* symbol = module.getNamedGlobal(missing)) erase_if_unused(*symbol);
}

PreservedAnalyses NoteVirtualCalleesPass::run(Module& module, ModuleAnalysisManager& analyses) {
  if (!options_of_link_step(module)) return PreservedAnalyses::all();
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  annotate_virtual_callees(module, VtableUsers::LinkageUnit, [&](Function& function) -> DominatorTree& {
    return functions.getResult<DominatorTreeAnalysis>(function);
  });
  return PreservedAnalyses::all(); // metadata only
}

PreservedAnalyses NoteImportedPass::run(Module& module, ModuleAnalysisManager& analyses) {
  if (!options_of_link_step(module)) return PreservedAnalyses::all();
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  const Summaries summaries(module, World::File, [&](Function& function) {
    return FunctionAnalyses{functions.getResult<LoopAnalysis>(function),
                            functions.getResult<ScalarEvolutionAnalysis>(function),
                            functions.getResult<DominatorTreeAnalysis>(function)};
  });
  note_imported_effects(module, summaries); // attributes of declarations to be: no analysis looks at them
  return PreservedAnalyses::all();
}

} // namespace footrace
