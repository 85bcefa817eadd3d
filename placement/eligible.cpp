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

BitVector accesses_with_path(const Plan& plan, const Summaries& summaries) {
  BitVector tracked(static_cast<unsigned>(plan.accesses.size()));
  for (unsigned i = 0; i < plan.accesses.size(); ++i) {
    const Access& access = plan.accesses[i].access;
    if (!plan.accesses[i].left_out && !has_atomicity(access.kind) && access.extent == Extent::Fixed &&
        access.condition == Condition::Always && access.size != 0 &&
        summaries.effects(*access.inst).has_none())
      tracked.set(i);
  }
  return tracked;
}

bool is_beyond_budget(const Paths& paths, const Function& function) {
  constexpr uint64_t bits = uint64_t{1} << 26; // blocks times paths
  return uint64_t{paths.bits()} * function.size() > bits;
}

void check_the_rest(Plan& plan) {
  for (unsigned i = 0; i < plan.accesses.size(); ++i)
    if (!plan.accesses[i].left_out && plan.accesses[i].covered_by.empty() &&
        !has_check_elsewhere(plan.accesses[i]))
      plan.check_itself(i);
}

} // namespace footrace
