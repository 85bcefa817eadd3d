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

namespace {

uint64_t longest_block(const Function& function) {
  uint64_t longest = 0;
  for (const BasicBlock& block : function) longest = std::max<uint64_t>(longest, block.size());
  return longest;
}

} // namespace

bool is_beyond_budget(const Paths& paths, const Function& function) {
  constexpr uint64_t bits = uint64_t{1} << 26; // blocks times paths
  // From each access to its checks is a walk over the steps between. Only generated code has such blocks.
  constexpr uint64_t steps = uint64_t{1} << 27; // instructions of a block times paths
  return uint64_t{paths.bits()} * function.size() > bits || paths.bits() * longest_block(function) > steps;
}

bool is_far_beyond_budget(unsigned accesses, const Function& function) {
  constexpr uint64_t steps =
      uint64_t{1} << 31; // instructions of a block times accesses, of which several may have one path
  return accesses * longest_block(function) > steps;
}

void check_the_rest(Plan& plan) {
  for (unsigned i = 0; i < plan.accesses.size(); ++i)
    if (!plan.accesses[i].left_out && plan.accesses[i].covered_by.empty() &&
        !has_check_elsewhere(plan.accesses[i]))
      plan.check_itself(i);
}

} // namespace footrace
