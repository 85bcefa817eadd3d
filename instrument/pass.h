// The passes of the plugin.
#pragma once

#include "instrument/sites.h"

#include "llvm/IR/PassManager.h"

namespace footrace {

// Before the vectoriser: checks that leave loops. What they cover is marked and left alone by the next pass.
class FootraceEarlyPass : public llvm::PassInfoMixin<FootraceEarlyPass> {
public:
  explicit FootraceEarlyPass(SiteLinkage linkage = SiteLinkage::WithFunction) : linkage_(linkage) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

private:
  SiteLinkage linkage_;
};

// At the end: plans and emits all other checks of a module.
class FootracePass : public llvm::PassInfoMixin<FootracePass> {
public:
  explicit FootracePass(SiteLinkage linkage = SiteLinkage::WithFunction) : linkage_(linkage) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

private:
  SiteLinkage linkage_;
};

// Runs before the inliner: with -gline-tables-only the front end leaves linkage names out of the debug info,
// and a function that was inlined everywhere would be known by its short name only.
class FootraceNamesPass : public llvm::PassInfoMixin<FootraceNamesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace footrace
