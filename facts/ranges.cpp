// The second half of facts/loops.h: from an affine address and a number of iterations to a strided range.
#include "facts/loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace footrace {
namespace {

// Address of the first element and distance to the next, for an address that is affine in the loop.
struct Affine {
  const SCEV* start;
  const SCEV* step;
};

std::optional<Affine> affine_in(const SCEV* value, const Loop& loop, Type* step_type, ScalarEvolution& scev) {
  if (scev.isLoopInvariant(value, &loop)) return Affine{value, scev.getZero(step_type)};
  const auto* recurrence = dyn_cast<SCEVAddRecExpr>(value);
  if (recurrence == nullptr || recurrence->getLoop() != &loop || !recurrence->isAffine()) return std::nullopt;
  const SCEV* step = recurrence->getStepRecurrence(scev);
  if (!scev.isLoopInvariant(step, &loop)) return std::nullopt;
  return Affine{recurrence->getStart(), step};
}

} // namespace

bool StridedRange::has_no_holes() const {
  const auto* constant = dyn_cast<SCEVConstant>(stride);
  return constant != nullptr && constant->getAPInt().abs() == size;
}

bool LoopRanges::must_run_in_every_iteration(const BasicBlock& block) const {
  return loop_.latch != nullptr && analyses_.loops.getLoopFor(&block) == loop_.loop &&
         analyses_.dominators.dominates(&block, loop_.latch);
}

// How often `block` runs until the loop is left at `exiting`, when the back edge has been taken `backedges` times by then.
const SCEV* LoopRanges::runs_until(const BasicBlock& block, const BasicBlock& exiting, const SCEV* backedges,
                                   Type* index) const {
  ScalarEvolution& scev = analyses_.scev;
  const SCEV* count = scev.getTruncateOrZeroExtend(backedges, index);
  // In the last iteration too, if it comes before the exit.
  return analyses_.dominators.dominates(&block, &exiting) ? scev.getAddExpr(count, scev.getOne(index))
                                                          : count;
}

std::optional<StridedRange> LoopRanges::elements(const Access& access) const {
  if (access.unmodelled || access.extent != Extent::Fixed || access.condition != Condition::Always)
    return std::nullopt;
  if (access.address == nullptr || !access.address->getType()->isPointerTy()) return std::nullopt;
  if (!must_run_in_every_iteration(*access.inst->getParent())) return std::nullopt;
  ScalarEvolution& scev = analyses_.scev;
  Type* index = scev.getEffectiveSCEVType(access.address->getType());
  const SCEV* address = scev.getAddExpr(scev.getSCEV(access.address), scev.getConstant(index, access.offset));
  const std::optional<Affine> affine = affine_in(address, *loop_.loop, index, scev);
  if (!affine) return std::nullopt;
  return StridedRange{.first = affine->start, .stride = affine->step, .size = access.size, .count = nullptr};
}

std::optional<StridedRange> LoopRanges::range(const Access& access) const {
  if (loop_.backedges_taken == nullptr) return std::nullopt;
  std::optional<StridedRange> range = elements(access);
  if (range)
    range->count = runs_until(*access.inst->getParent(), *loop_.exits.front().exiting, loop_.backedges_taken,
                              range->stride->getType());
  return range;
}

std::optional<StridedRange> LoopRanges::range_at_exit(const Access& access, const LoopExit& exit) const {
  std::optional<StridedRange> range = elements(access);
  if (!range) return std::nullopt;
  ScalarEvolution& scev = analyses_.scev;
  // The access and the exit must have an order within an iteration.
  const BasicBlock& block = *access.inst->getParent();
  const DominatorTree& dominators = analyses_.dominators;
  if (!dominators.dominates(&block, exit.exiting) && !dominators.dominates(exit.exiting, &block))
    return std::nullopt;
  Type* index = range->stride->getType();
  const SCEV* backedges = exit.backedges_taken;
  if (backedges == nullptr)
    backedges = scev.getAddRecExpr(scev.getZero(index), scev.getOne(index), loop_.loop, SCEV::FlagAnyWrap);
  range->count = runs_until(block, *exit.exiting, backedges, index);
  return range;
}

std::optional<StridedRange> LoopRanges::widen(const StridedRange& inner,
                                              const BasicBlock& inner_preheader) const {
  if (loop_.backedges_taken == nullptr || !must_run_in_every_iteration(inner_preheader)) return std::nullopt;
  ScalarEvolution& scev = analyses_.scev;
  const Loop& loop = *loop_.loop;
  Type* index = inner.stride->getType();
  if (!scev.isLoopInvariant(inner.stride, &loop)) return std::nullopt;
  const std::optional<Affine> first = affine_in(inner.first, loop, index, scev);
  if (!first) return std::nullopt;
  const SCEV* rows = runs_until(inner_preheader, *loop_.exits.front().exiting, loop_.backedges_taken, index);

  StridedRange outer = inner;
  outer.first = first->start;
  if (first->step->isZero()) {
    // Rows of one start: their union is the longest, if there is a row at all.
    if (!scev.isKnownNonZero(rows)) return std::nullopt;
    outer.count = longest_row(inner.count, rows);
    if (outer.count == nullptr) return std::nullopt;
    return outer;
  }
  if (!scev.isLoopInvariant(inner.count, &loop)) return std::nullopt;
  outer.count = scev.getMulExpr(inner.count, rows);
  // Each row begins where the one before it ended, or (by columns) next to where it began.
  if (scev.getMulExpr(inner.stride, inner.count) == first->step) return outer;
  if (scev.getMulExpr(first->step, rows) == inner.stride) {
    outer.stride = first->step;
    return outer;
  }
  return std::nullopt;
}

// The largest of the counts that an inner loop has in `rows` iterations of this one; null if that is not known.
const SCEV* LoopRanges::longest_row(const SCEV* count, const SCEV* rows) const {
  ScalarEvolution& scev = analyses_.scev;
  if (scev.isLoopInvariant(count, loop_.loop)) return count;
  const auto* recurrence = dyn_cast<SCEVAddRecExpr>(count);
  if (recurrence == nullptr || recurrence->getLoop() != loop_.loop || !recurrence->isAffine()) return nullptr;
  const auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(scev));
  if (step == nullptr) return nullptr;
  if (step->getAPInt().isNegative())
    return recurrence->hasNoSignedWrap() && scev.isKnownNonNegative(recurrence) ? recurrence->getStart()
                                                                                : nullptr;
  if (!recurrence->hasNoUnsignedWrap()) return nullptr;
  return recurrence->evaluateAtIteration(scev.getAddExpr(rows, scev.getMinusOne(rows->getType())), scev);
}

} // namespace footrace
