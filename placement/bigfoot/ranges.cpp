#include "placement/bigfoot/ranges.h"

#include "placement/paths.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <tuple>

using namespace llvm;

namespace footrace::bigfoot {
namespace {

bool has_same_steps(const RangePiece& a, const RangePiece& b) {
  return a.key == b.key && a.stride == b.stride && a.count == b.count && a.at_least_one == b.at_least_one;
}

void absorb(RangePiece& into, const RangePiece& piece) {
  into.begin = std::min(into.begin, piece.begin);
  into.end = std::max(into.end, piece.end);
  into.covers.insert(into.covers.end(), piece.covers.begin(), piece.covers.end());
}

// Divisions by values that may be 0 cannot be computed anew where the program might not have; the program's own result can be
// used.
class UseExistingDivisions : public SCEVRewriteVisitor<UseExistingDivisions> {
public:
  UseExistingDivisions(ScalarEvolution& scev, ArrayRef<Instruction*> divisions,
                       const DominatorTree& dominators, const Instruction& at)
      : SCEVRewriteVisitor(scev), divisions_(divisions), dominators_(dominators), at_(at) {}

  const SCEV* visitUDivExpr(const SCEVUDivExpr* division) {
    if (!isa<SCEVConstant>(division->getRHS()))
      for (Instruction* existing : divisions_)
        if (dominators_.dominates(existing, &at_) && SE.getSCEV(existing) == division)
          return SE.getUnknown(existing);
    return SCEVRewriteVisitor::visitUDivExpr(division);
  }

private:
  ArrayRef<Instruction*> divisions_;
  const DominatorTree& dominators_;
  const Instruction& at_;
};

// A piece of the list that covers it, or that it continues.
bool absorb_into(std::vector<RangePiece>& list, const RangePiece& piece) {
  for (RangePiece& other : list) {
    if (!has_same_steps(other, piece)) continue;
    const bool same_kind = other.kind == piece.kind && piece.begin <= other.end && other.begin <= piece.end;
    const bool covered =
        other.kind == AccessKind::Write && other.begin <= piece.begin && piece.end <= other.end;
    if (!same_kind && !covered) continue;
    absorb(other, piece);
    return true;
  }
  return false;
}

} // namespace

std::vector<RangePiece> coalesce_ranges(std::vector<RangePiece> pieces) {
  // Writes first, since they cover reads; by place, since then each piece only continues an earlier one.
  sort(pieces, [](const RangePiece& a, const RangePiece& b) {
    const auto rank = [](const RangePiece& piece) {
      return std::tuple(piece.kind != AccessKind::Write, piece.begin, piece.end, piece.covers.front());
    };
    return rank(a) < rank(b);
  });
  std::vector<RangePiece> coalesced;
  for (const RangePiece& piece : pieces)
    if (!absorb_into(coalesced, piece)) coalesced.push_back(piece);
  for (RangePiece& piece : coalesced) sort(piece.covers);
  return coalesced;
}

PlannedCheck range_check(const RangePiece& piece, ScalarEvolution& scev) {
  PlannedCheck check{.shape = Shape::Strided, .kind = piece.kind, .covers = piece.covers};
  Type* index = piece.stride->getType();
  const auto constant = [&](int64_t value) {
    return scev.getConstant(index, static_cast<uint64_t>(value), /*isSigned=*/true);
  };
  check.size = static_cast<uint64_t>(piece.end - piece.begin);
  check.start = scev.getAddExpr(piece.key, constant(piece.begin));
  check.stride = piece.stride;
  check.count = piece.count;
  const auto* stride = dyn_cast<SCEVConstant>(piece.stride);
  if (stride == nullptr) return check;

  const int64_t step = stride->getAPInt().getSExtValue();
  const auto distance = static_cast<uint64_t>(std::abs(step));
  const bool adjacent = check.size == distance || (check.size > distance && piece.at_least_one);
  if (!adjacent) return check;
  const SCEV* before_last = scev.getAddExpr(piece.count, constant(-1));
  if (step < 0) check.start = scev.getAddExpr(check.start, scev.getMulExpr(before_last, piece.stride));
  check.shape = Shape::Range;
  check.length = check.size == distance
                     ? scev.getMulExpr(piece.count, constant(static_cast<int64_t>(distance)))
                     : scev.getAddExpr(scev.getMulExpr(before_last, constant(static_cast<int64_t>(distance))),
                                       constant(static_cast<int64_t>(check.size)));
  check.stride = check.count = nullptr;
  check.size = 0;
  return check;
}

LoopChecks::LoopChecks(Plan& plan, const FunctionAnalyses& analyses, const Summaries& summaries)
    : plan_(plan), analyses_(analyses), summaries_(summaries) {
  for (unsigned i = 0; i < plan.accesses.size(); ++i) {
    const PlannedAccess& planned = plan.accesses[i];
    if (!planned.left_out && !has_atomicity(planned.access.kind) && planned.access.size != 0)
      in_block_[planned.access.inst->getParent()].push_back(i);
  }
  for (Instruction& inst : instructions(*plan.function))
    if (inst.getOpcode() == Instruction::UDiv && analyses.scev.isSCEVable(inst.getType()))
      divisions_.push_back(&inst);
}

std::optional<RangePiece> LoopChecks::piece(unsigned access, const StridedRange& range, bool at_least_one) {
  ScalarEvolution& scev = analyses_.scev;
  RangePiece piece{
      .kind = plan_.accesses[access].access.kind, .at_least_one = at_least_one, .covers = {access}};
  piece.key = range.first;
  piece.begin = take_constant(piece.key, scev);
  piece.end = piece.begin + static_cast<int64_t>(range.size);
  piece.stride = range.stride;
  piece.count = range.count;
  if (!range.stride->isZero()) return piece;
  // The same bytes in every iteration: one element, if there is an iteration.
  if (!at_least_one) return std::nullopt;
  piece.stride = scev.getConstant(range.stride->getType(), range.size);
  piece.count = scev.getOne(range.stride->getType());
  return piece;
}

LoopChecks::Pieces LoopChecks::accesses_before(const LoopFacts& facts) {
  Pieces pieces;
  const LoopRanges ranges(facts, analyses_);
  for (const BasicBlock* block : facts.loop->blocks()) {
    const auto found = in_block_.find(block);
    if (found == in_block_.end()) continue;
    const bool at_least_one = analyses_.dominators.dominates(block, facts.exits.front().exiting);
    for (const unsigned access : found->second)
      if (const auto range = ranges.range(plan_.accesses[access].access))
        if (const auto found_piece = piece(access, *range, at_least_one)) pieces.push_back(*found_piece);
  }
  return pieces;
}

// A check inside an outer loop that runs in each of its iterations becomes one check before that loop.
LoopChecks::Pieces LoopChecks::widen(const Pieces& inner, const LoopFacts& inner_facts,
                                     const LoopFacts& outer) {
  Pieces widened;
  ScalarEvolution& scev = analyses_.scev;
  const LoopRanges ranges(outer, analyses_);
  for (const RangePiece& piece : inner) {
    const StridedRange range{
        .first = scev.getAddExpr(
            piece.key, scev.getConstant(piece.stride->getType(), static_cast<uint64_t>(piece.begin), true)),
        .stride = piece.stride,
        .size = static_cast<uint64_t>(piece.end - piece.begin),
        .count = piece.count};
    const auto wider = ranges.widen(range, *inner_facts.preheader);
    if (!wider) {
      add(piece, {.before = inner_facts.preheader->getTerminator()});
      continue;
    }
    RangePiece whole = piece;
    whole.key = wider->first;
    whole.begin = take_constant(whole.key, scev);
    whole.end = whole.begin + static_cast<int64_t>(wider->size);
    whole.stride = wider->stride;
    whole.count = wider->count;
    whole.at_least_one = piece.at_least_one &&
                         analyses_.dominators.dominates(inner_facts.preheader, outer.exits.front().exiting);
    widened.push_back(std::move(whole));
  }
  return widened;
}

// [LOOP] as in the paper: what has been accessed when the loop ends is checked behind it.
void LoopChecks::check_at_exits(const LoopFacts& facts) {
  const LoopRanges ranges(facts, analyses_);
  std::vector<Pieces> at_exit(facts.exits.size());
  for (const BasicBlock* block : facts.loop->blocks()) {
    const auto found = in_block_.find(block);
    if (found == in_block_.end()) continue;
    for (const unsigned access : found->second) {
      Pieces pieces;
      for (const LoopExit& exit : facts.exits)
        if (const auto range = ranges.range_at_exit(plan_.accesses[access].access, exit))
          if (const auto found_piece =
                  piece(access, *range, analyses_.dominators.dominates(block, exit.exiting)))
            pieces.push_back(*found_piece);
      if (pieces.size() != facts.exits.size()) continue;
      for (unsigned i = 0; i < pieces.size(); ++i) at_exit[i].push_back(pieces[i]);
    }
  }
  for (unsigned i = 0; i < facts.exits.size(); ++i) {
    const LoopExit& exit = facts.exits[i];
    const Position position = exit.exit->getSinglePredecessor() != nullptr
                                  ? Position{.before = &*exit.exit->getFirstInsertionPt()}
                                  : Position{.from = exit.exiting, .to = exit.exit};
    for (const RangePiece& coalesced : coalesce_ranges(std::move(at_exit[i]))) add(coalesced, position);
  }
}

LoopChecks::Pieces LoopChecks::process(Loop& loop) {
  const LoopFacts facts = loop_facts(loop, analyses_, summaries_);
  const bool one_span = facts.effects.has_none();
  const bool counted = one_span && facts.preheader != nullptr && facts.backedges_taken != nullptr;
  const bool may_check_behind =
      one_span && facts.finite == Finiteness::TripCount &&
      all_of(facts.exits, [](const LoopExit& exit) { return !exit.exit->isEHPad(); });
  otherwise_[&loop] = !one_span                     ? Fallback::LoopEffects
                      : counted || may_check_behind ? Fallback::LoopAddress
                                                    : Fallback::LoopCount;
  Pieces pieces;
  for (Loop* nested : loop) {
    Pieces inner = process(*nested);
    if (inner.empty()) continue;
    const LoopFacts inner_facts = loop_facts(*nested, analyses_, summaries_);
    if (counted) {
      Pieces widened = widen(inner, inner_facts, facts);
      pieces.insert(pieces.end(), widened.begin(), widened.end());
      continue;
    }
    for (const RangePiece& piece : inner) add(piece, {.before = inner_facts.preheader->getTerminator()});
  }
  if (counted) {
    Pieces own = accesses_before(facts);
    pieces.insert(pieces.end(), own.begin(), own.end());
    return coalesce_ranges(std::move(pieces));
  }
  if (may_check_behind) check_at_exits(facts);
  return {};
}

void LoopChecks::add(const RangePiece& piece, Position position) {
  PlannedCheck check = range_check(piece, analyses_.scev);
  check.position = position;
  UseExistingDivisions rewriter(analyses_.scev, divisions_, analyses_.dominators,
                                position.before != nullptr ? *position.before
                                                           : *position.from->getTerminator());
  for (const SCEV** part : {&check.start, &check.length, &check.stride, &check.count})
    if (*part != nullptr) *part = rewriter.visit(*part);
  const auto number = static_cast<unsigned>(plan_.checks.size());
  for (const unsigned access : check.covers) {
    plan_.accesses[access].covered_by.push_back(number);
    plan_.accesses[access].rule = Rule::LoopRange;
  }
  plan_.checks.push_back(std::move(check));
}

void LoopChecks::count_what_stays() {
  for (const auto& [block, accesses] : in_block_) {
    const auto why = otherwise_.find(analyses_.loops.getLoopFor(block));
    if (why == otherwise_.end()) continue;
    plan_.fall_back(why->second, static_cast<uint64_t>(count_if(accesses, [&](unsigned access) {
                      return plan_.accesses[access].covered_by.empty();
                    })));
  }
}

void LoopChecks::write() {
  for (Loop* loop : analyses_.loops) {
    const Pieces pieces = process(*loop);
    if (pieces.empty()) continue;
    Instruction* before = loop->getLoopPreheader()->getTerminator();
    for (const RangePiece& piece : pieces) add(piece, {.before = before});
  }
  count_what_stays();
}

} // namespace footrace::bigfoot
