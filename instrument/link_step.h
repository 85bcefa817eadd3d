// Link-time optimisation with the checks in the link step, where the bodies of other files are in sight and calls of them
// need not be taken for everything.
//
// The compile step leaves a mark in the module: the options that its checks are to be placed with. Whoever links must load the
// plugin (lld: --load-pass-plugin). The mark comes with a reference to a symbol that does not exist, and the link step
// takes both away: a link without the plugin fails instead of giving a program without checks.
#pragma once

#include "llvm/IR/PassManager.h"

#include <optional>

namespace footrace {

// Compile step: everything is left to the link step.
class LeaveToLinkStepPass : public llvm::PassInfoMixin<LeaveToLinkStepPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

// Link step, thin: notes what imported bodies may do before they go (facts/imported.h).
class NoteImportedPass : public llvm::PassInfoMixin<NoteImportedPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

// Link step, full: notes what virtual calls may run while their types are known (facts/virtual_callees.h).
class NoteVirtualCalleesPass : public llvm::PassInfoMixin<NoteVirtualCalleesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

// A pass for modules that were left to the link step; the others have their checks.
template <class Pass> class OnlyInLinkStep : public llvm::PassInfoMixin<OnlyInLinkStep<Pass>> {
public:
  explicit OnlyInLinkStep(Pass pass) : pass_(pass) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

private:
  Pass pass_;
};

// The options (words_of) that a module was left to the link step with; nothing if it was not.
std::optional<llvm::StringRef> options_of_link_step(const llvm::Module& module);

// The link step does its part: the reference goes.
void take_over(llvm::Module& module);

template <class Pass>
llvm::PreservedAnalyses OnlyInLinkStep<Pass>::run(llvm::Module& module,
                                                  llvm::ModuleAnalysisManager& analyses) {
  if (!options_of_link_step(module)) return llvm::PreservedAnalyses::all();
  take_over(module);
  return pass_.run(module, analyses);
}

} // namespace footrace
