#include "facts/loops.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace footrace {
namespace {

bool dominates_all_latches(const Loop& loop, const BasicBlock& block, const DominatorTree& dominators) {
  SmallVector<BasicBlock*, 2> latches;
  loop.getLoopLatches(latches);
  return all_of(latches, [&](const BasicBlock* latch) { return dominators.dominates(&block, latch); });
}

// The induction variable that decides this exit moves in every iteration. ScalarEvolution counts iterations also under the
// promise that loops make progress; for a step that may be zero that promise would be the whole proof.
bool has_moving_induction_variable(const Loop& loop, const BasicBlock& exiting, ScalarEvolution& scev) {
  const auto* branch = dyn_cast<BranchInst>(exiting.getTerminator());
  const auto* compare =
      branch != nullptr && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (compare == nullptr) return false;
  return any_of(compare->operands(), [&](const Use& operand) {
    if (!scev.isSCEVable(operand->getType())) return false;
    const SCEV* value = scev.getSCEV(operand);
    // {start,+,step}, perhaps widened or narrowed.
    return SCEVExprContains(value, [&](const SCEV* part) {
      const auto* recurrence = dyn_cast<SCEVAddRecExpr>(part);
      return recurrence != nullptr && recurrence->getLoop() == &loop &&
             scev.isKnownNonZero(recurrence->getStepRecurrence(scev));
    });
  });
}

// A bound that changes while the loop runs ends it only when the counter is exhausted: that must come soon enough to be
// called an end.
bool has_small_bound(const SCEV* most) {
  const auto* constant = dyn_cast<SCEVConstant>(most);
  return constant != nullptr && constant->getAPInt().getActiveBits() <= 16;
}

bool must_leave_at(const Loop& loop, BasicBlock& exiting, ScalarEvolution& scev,
                   const DominatorTree& dominators) {
  if (!dominates_all_latches(loop, exiting, dominators)) return false;
  const SCEV* exact = scev.getExitCount(&loop, &exiting);
  if (isa<SCEVConstant>(exact)) return true;
  if (isa<SCEVCouldNotCompute>(exact) &&
      !has_small_bound(scev.getExitCount(&loop, &exiting, ScalarEvolution::ConstantMaximum)))
    return false;
  return has_moving_induction_variable(loop, exiting, scev);
}

// A cycle of the loop that no header dominates is a loop that LoopInfo does not know.
bool has_hidden_cycles(Loop& loop, LoopInfo& loops) {
  LoopBlocksRPO order(&loop);
  order.perform(&loops);
  return containsIrreducibleCFG<const BasicBlock*>(order, loops);
}

bool may_not_end(Loop& loop, const FunctionAnalyses& analyses) {
  if (has_hidden_cycles(loop, analyses.loops)) return true;
  return any_of(loop.getLoopsInPreorder(), [&](const Loop* nested) {
    return finiteness(*nested, analyses.scev, analyses.dominators) == Finiteness::Unknown;
  });
}

} // namespace

Finiteness finiteness(const Loop& loop, ScalarEvolution& scev, const DominatorTree& dominators) {
  SmallVector<BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  const bool ends =
      any_of(exiting, [&](BasicBlock* block) { return must_leave_at(loop, *block, scev, dominators); });
  return ends ? Finiteness::TripCount : Finiteness::Unknown;
}

LoopFacts loop_facts(Loop& loop, const FunctionAnalyses& analyses, const Summaries& summaries) {
  LoopFacts facts;
  facts.loop = &loop;
  facts.preheader = loop.getLoopPreheader();
  facts.latch = loop.getLoopLatch();
  facts.finite = finiteness(loop, analyses.scev, analyses.dominators);
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& inst : *block) facts.effects |= summaries.effects(inst);
  if (may_not_end(loop, analyses)) facts.effects |= Effect::NoReturn;

  SmallVector<Loop::Edge, 4> edges;
  loop.getExitEdges(edges);
  for (const Loop::Edge& edge : edges) {
    const SCEV* count = analyses.scev.getExitCount(&loop, edge.first);
    facts.exits.push_back({.exiting = edge.first,
                           .exit = edge.second,
                           .backedges_taken = isa<SCEVCouldNotCompute>(count) ? nullptr : count});
  }
  if (facts.has_single_exit()) facts.backedges_taken = facts.exits.front().backedges_taken;
  return facts;
}

} // namespace footrace
