#include "placement/steps.h"

#include "placement/redcard/specs.h"

#include "facts/loops.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace footrace {

Steps::Steps(const Plan& plan, const Paths& paths, const Summaries& summaries,
             const FunctionAnalyses& analyses, const redcard::Specs* specs)
    : loops_(analyses.loops),
      required_(specs != nullptr ? specs->required(*plan.function, paths, analyses.scev)
                                 : PathSet(paths.bits())) {
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(plan.function)) {
    number_[block] = static_cast<unsigned>(order_.size());
    order_.push_back(block);
  }
  DenseMap<const Instruction*, std::vector<unsigned>> accesses;
  for (unsigned i = 0; i < plan.accesses.size(); ++i)
    if (paths.has_path(i)) accesses[plan.accesses[i].access.inst].push_back(i);

  for (BasicBlock* block : order_) {
    std::vector<Step>& steps = steps_[block];
    for (Instruction& inst : *block) {
      Step step{&inst, summaries.effects(inst)};
      if (const auto found = accesses.find(&inst); found != accesses.end()) step.accesses = found->second;
      step.defines = paths.killed_by(inst);
      if (const auto* call = dyn_cast<CallInst>(&inst); call != nullptr && specs != nullptr)
        step.ensures = specs->ensured(*call, paths, analyses.scev);
      if (!step.effects.has_none() || !step.accesses.empty() || step.defines != nullptr || step.ensures.any())
        steps.push_back(std::move(step));
    }
  }
  for (Loop* loop : analyses.loops.getLoopsInPreorder())
    if (finiteness(*loop, analyses.scev, analyses.dominators) == Finiteness::Unknown)
      endless_heads_.insert(loop->getHeader());
}

ArrayRef<Step> Steps::of(const BasicBlock& block) const { return steps_.find(&block)->second; }

EdgeKind Steps::kind(const BasicBlock& from, const BasicBlock& to) const {
  if (to.isEHPad()) return EdgeKind::Unwind;
  const bool back = number_.lookup(&to) <= number_.lookup(&from);
  const Loop* loop = loops_.getLoopFor(&to);
  const bool head = loop != nullptr && loop->getHeader() == &to;
  // An edge that leads back, but not to the head of a loop around it, closes an irreducible cycle.
  if (back)
    return head && loop->contains(&from) && !endless_heads_.contains(&to) ? EdgeKind::Back
                                                                          : EdgeKind::BackEndless;
  return endless_heads_.contains(&to) ? EdgeKind::EntersEndless : EdgeKind::Forward;
}

} // namespace footrace
