// The program on its way to a proof and back: `-footrace-embed-ir` keeps the unoptimised module in the object, for `footrace prove`;
// `-footrace-use-proofs=FILE` leaves out the checks of accesses that it proved race-free. Both run before the optimiser, where every access of the
// source is still there.
#pragma once

#include "llvm/IR/PassManager.h"

namespace footrace {

// facts/embedded_ir.h
class EmbedIrPass : public llvm::PassInfoMixin<EmbedIrPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

// A proof of another version of the program is an error, and no check is left out.
class UseProofsPass : public llvm::PassInfoMixin<UseProofsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

} // namespace footrace
