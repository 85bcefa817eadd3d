#include "placement/eligible.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace footrace {

bool may_place_in(const Function& function) {
  if (function.callsFunctionThatReturnsTwice() || function.isPresplitCoroutine()) return false;
  for (const BasicBlock& block : function) {
    const Instruction& last = *block.getTerminator();
    if (isa<IndirectBrInst, CallBrInst, CatchSwitchInst, CatchReturnInst, CleanupReturnInst>(last))
      return false;
  }
  return true;
}

void check_the_rest(Plan& plan) {
  for (unsigned i = 0; i < plan.accesses.size(); ++i)
    if (!plan.accesses[i].left_out && plan.accesses[i].covered_by.empty()) plan.check_itself(i);
}

} // namespace footrace
