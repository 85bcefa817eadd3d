// Loops that load the address of an array again in every iteration, because a store of the loop may have changed it: any store of a byte, to the
// compiler's eye (`out.data[i] = byte`, where `out` is in memory). Their accesses are no range to placement then, and each is checked.
//
// Such a loop gets a copy. Before it, the addresses are loaded and the ranges computed that its stores would write if the addresses stayed as
// they are. If no range meets the memory that holds an address, no iteration can change one: the first has the right addresses, writes within the
// ranges, and so leaves them to the second. That loop runs with addresses that are loaded once; the copy is for everything else.
//
// Who loads them early reads nothing that the loop would not read: it is rotated, and the loads are made in every iteration, so in the first.
#pragma once

#include "llvm/IR/PassManager.h"

namespace footrace {

class SteadyBasesPass : public llvm::PassInfoMixin<SteadyBasesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace footrace
