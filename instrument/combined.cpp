#include "instrument/combined.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace footrace {
namespace {

// Not SplitCriticalEdge: it keeps loop exits dedicated, and so moves other edges on which checks are still to be placed.
Instruction* on_edge(BasicBlock& from, BasicBlock& to, const FunctionAnalyses& analyses) {
  if (to.getUniquePredecessor() != nullptr) return &*to.getFirstInsertionPt();
  if (from.getUniqueSuccessor() != nullptr) return from.getTerminator();
  BasicBlock* middle = SplitBlockPredecessors(&to, {&from}, ".check", &analyses.dominators, &analyses.loops);
  return middle != nullptr ? middle->getTerminator() : nullptr;
}

Instruction* place_of(const Position& position, const FunctionAnalyses& analyses) {
  if (position.before == nullptr) return on_edge(*position.from, *position.to, analyses);
  // Nothing may stand between the phis of a block.
  BasicBlock& block = *position.before->getParent();
  if (isa<PHINode>(position.before) || position.before->isEHPad()) return &*block.getFirstInsertionPt();
  return position.before;
}

class Expansion {
public:
  explicit Expansion(const FunctionAnalyses& analyses) : expander_(analyses.scev, "footrace") {}

  bool may_expand(const SCEV* expression, Instruction* at) {
    return expression == nullptr || expander_.isSafeToExpandAt(expression, at);
  }
  Value* expand(const SCEV* expression, Type* type, Instruction* at) {
    return expression == nullptr ? nullptr : expander_.expandCodeFor(expression, type, at->getIterator());
  }

private:
  SCEVExpander expander_;
};

bool may_compute(const PlannedCheck& check, Instruction* at, Expansion& expansion) {
  return all_of(ArrayRef{check.start, check.length, check.stride, check.count},
                [&](const SCEV* part) { return expansion.may_expand(part, at); });
}

void compute(ReadyCheck& ready, Expansion& expansion) {
  const PlannedCheck& check = *ready.check;
  IRBuilder<> at(ready.before);
  if (check.shape == Shape::Fixed) {
    ready.address = check.base;
    if (check.offset != 0)
      ready.address = at.CreatePtrAdd(check.base, at.getInt64(static_cast<uint64_t>(check.offset)));
    return;
  }
  ready.address = expansion.expand(check.start, at.getPtrTy(), ready.before);
  ready.length = expansion.expand(check.length, at.getInt64Ty(), ready.before);
  ready.stride = expansion.expand(check.stride, at.getInt64Ty(), ready.before);
  ready.count = expansion.expand(check.count, at.getInt64Ty(), ready.before);
}

} // namespace

ReadyChecks prepare_combined_checks(const Plan& plan, const FunctionAnalyses& analyses) {
  std::vector<ReadyCheck> checks;
  for (const PlannedCheck& check : plan.checks) {
    if (check.shape == Shape::Own) continue;
    ReadyCheck& ready = checks.emplace_back();
    ready.check = &check;
    for (const unsigned access : check.covers)
      ready.places.push_back(place_in_check(plan.accesses[access].access, check, analyses.scev));
  }
  // Edges before expressions: a place that was found stays one. An edge that was split is an edge no more.
  DenseMap<std::pair<BasicBlock*, BasicBlock*>, Instruction*> split;
  for (ReadyCheck& ready : checks) {
    const Position& position = ready.check->position;
    if (position.before != nullptr) {
      ready.before = place_of(position, analyses);
      continue;
    }
    const auto [entry, inserted] = split.try_emplace({position.from, position.to});
    if (inserted) entry->second = place_of(position, analyses);
    ready.before = entry->second;
  }
  ReadyChecks result;
  Expansion expansion(analyses);
  for (ReadyCheck& ready : checks) {
    if (ready.before != nullptr && may_compute(*ready.check, ready.before, expansion)) {
      compute(ready, expansion);
      result.checks.push_back(std::move(ready));
    } else {
      result.not_computable.push_back(ready.check);
    }
  }
  return result;
}

} // namespace footrace
