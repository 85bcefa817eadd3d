#include "placement/redcard/ranges.h"

#include "facts/loops.h"
#include "facts/sync.h"
#include "placement/bigfoot/ranges.h"
#include "placement/paths.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace footrace::redcard {
namespace {

using Context = BitVector; // Π: one bit per quantified path

bool has_kind_of(const PlannedCheck& outer, const PlannedCheck& inner) {
  return outer.kind == AccessKind::Write || inner.kind == AccessKind::Read;
}

class Availability {
public:
  Availability(Function& function, ArrayRef<QuantifiedPath> paths, const Summaries& summaries)
      : paths_(paths), summaries_(summaries), size_(static_cast<unsigned>(paths.size())) {
    for (unsigned i = 0; i < size_; ++i) {
      events_[paths[i].needed].push_back({i, true});
      if (paths[i].made != nullptr) events_[paths[i].made].push_back({i, false});
      find_deaths(i);
    }
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function)) order_.push_back(block);
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : order_) {
        Context context = join(*block);
        walk(*block, context, [](unsigned, const Context&) {});
        const auto [entry, inserted] = out_.try_emplace(block, context);
        changed |= inserted || entry->second != context;
        entry->second = std::move(context);
      }
    }
  }

  using Visit = function_ref<void(unsigned path, const Context& context)>;
  // Every path with what is available where it is needed.
  void for_each(Visit visit) {
    for (BasicBlock* block : order_) {
      Context context = join(*block);
      walk(*block, context, visit);
    }
  }

private:
  struct Event {
    unsigned path;
    bool needed;
  };

  void find_deaths(unsigned path) {
    const PlannedCheck& range = *paths_[path].range;
    const Leaves leaves = leaves_of({range.start, range.length, range.stride, range.count});
    const auto die = [&](Context& at) {
      at.resize(size_);
      at.set(path);
    };
    for (const Instruction* leaf : leaves.instructions)
      isa<PHINode>(leaf) ? die(on_entry_[leaf->getParent()]) : die(by_definition_[leaf]);
    for (const Loop* loop : leaves.loops) die(on_entry_[loop->getHeader()]);
  }

  Context join(const BasicBlock& block) const {
    if (block.isEntryBlock()) return Context(size_);
    Context in(size_, true);
    for (const BasicBlock* before : predecessors(&block))
      if (const auto found = out_.find(before); found != out_.end()) in &= found->second;
    if (const auto dead = on_entry_.find(&block); dead != on_entry_.end()) in.reset(dead->second);
    return in;
  }

  void walk(BasicBlock& block, Context& context, Visit visit) {
    for (Instruction& inst : block) {
      if (const auto found = events_.find(&inst); found != events_.end())
        for (const Event& event : found->second)
          event.needed ? visit(event.path, context) : static_cast<void>(context.set(event.path));
      if (kill_set_history(summaries_.effects(inst)).checks) context.reset();
      if (const auto dead = by_definition_.find(&inst); dead != by_definition_.end())
        context.reset(dead->second);
    }
  }

  ArrayRef<QuantifiedPath> paths_;
  const Summaries& summaries_;
  unsigned size_;
  std::vector<BasicBlock*> order_;
  DenseMap<const Instruction*, SmallVector<Event, 2>> events_;
  DenseMap<const Instruction*, Context> by_definition_;
  DenseMap<const BasicBlock*, Context> on_entry_, out_;
};

bool has_range(const PlannedCheck& check) {
  return check.shape == Shape::Range || check.shape == Shape::Strided;
}

// Checks that continue each other at one place become one: a[0..i] and a[i..n].
void coalesce_neighbours(Plan& plan, ScalarEvolution& scev, Entailment& entailment) {
  const auto may_join = [](const PlannedCheck& a, const PlannedCheck& b) {
    return a.shape == Shape::Range && b.shape == Shape::Range && a.kind == b.kind &&
           a.position == b.position && a.position.before != nullptr && !a.covers.empty() && !b.covers.empty();
  };
  for (unsigned i = 0; i < plan.checks.size(); ++i) {
    for (unsigned j = 0; j < plan.checks.size(); ++j) {
      PlannedCheck &first = plan.checks[i], &second = plan.checks[j];
      if (i == j || !may_join(first, second)) continue;
      if (!entailment.must_adjoin(first, second, *first.position.before)) continue;
      first.length = scev.getAddExpr(first.length, second.length);
      const std::vector<unsigned> names = second.names.empty() ? second.covers : second.names;
      plan.replace_check(j, {i});
      for (const unsigned access : names)
        if (!is_contained(first.names, access)) first.names.push_back(access);
      j = 0; // the longer range may have another neighbour
    }
  }
}

void count_queries(Plan& plan, const Entailment& entailment) {
  plan.queries_in_vain += entailment.queries_in_vain();
  if (entailment.undecided() != 0) plan.fall_back(Fallback::Solver, entailment.undecided());
}

} // namespace

std::vector<std::optional<unsigned>> find_redundant(Function& function, ArrayRef<QuantifiedPath> paths,
                                                    const Summaries& summaries, Entailment& entailment) {
  std::vector<std::optional<unsigned>> by(paths.size());
  Availability(function, paths, summaries).for_each([&](unsigned path, const Context& context) {
    for (const unsigned other : context.set_bits()) {
      const PlannedCheck &outer = *paths[other].range, &inner = *paths[path].range;
      if (other == path || !has_kind_of(outer, inner)) continue;
      if (!entailment.must_contain(outer, inner, *paths[path].needed)) continue;
      by[path] = other;
      return;
    }
  });
  // What makes a path redundant may be redundant itself. It came earlier on every way, so this ends.
  for (std::optional<unsigned>& redundant : by)
    while (redundant && by[*redundant]) redundant = by[*redundant];
  return by;
}

void drop_available_ranges(Plan& plan, const Summaries& summaries, const FunctionAnalyses& analyses,
                           EntailmentBudget budget) {
  if (count_if(plan.checks, has_range) < 2) return;
  Entailment entailment(analyses, budget);
  std::vector<QuantifiedPath> paths;
  std::vector<unsigned> check_of;
  for (unsigned i = 0; i < plan.checks.size(); ++i) {
    const PlannedCheck& check = plan.checks[i];
    if (!has_range(check)) continue;
    const Position& position = check.position;
    const bool on_edge = position.before == nullptr;
    paths.push_back({&check, on_edge ? position.from->getTerminator() : position.before,
                     on_edge ? nullptr : position.before});
    check_of.push_back(i);
  }
  const auto redundant = find_redundant(*plan.function, paths, summaries, entailment);
  for (unsigned i = 0; i < paths.size(); ++i) {
    if (!redundant[i]) continue;
    for (const unsigned access : plan.checks[check_of[i]].covers)
      plan.accesses[access].rule = Rule::QuantifiedPath;
    plan.replace_check(check_of[i], {check_of[*redundant[i]]});
  }
  coalesce_neighbours(plan, analyses.scev, entailment);
  plan.drop_unused_checks();
  count_queries(plan, entailment);
}

void plan_arrays(Plan& plan, const Summaries& summaries, const FunctionAnalyses& analyses,
                 EntailmentBudget budget) {
  std::vector<PlannedCheck> ranges;
  std::vector<QuantifiedPath> paths;
  std::vector<unsigned> access_of;
  for (Loop* loop : analyses.loops.getLoopsInPreorder()) {
    const LoopFacts facts = loop_facts(*loop, analyses, summaries);
    if (facts.preheader == nullptr || facts.backedges_taken == nullptr || !facts.effects.has_none()) continue;
    BasicBlock& exit = *facts.exits.front().exit;
    Instruction* behind = exit.getSinglePredecessor() != nullptr ? &*exit.getFirstInsertionPt() : nullptr;
    const LoopRanges loop_ranges(facts, analyses);
    for (unsigned i = 0; i < plan.accesses.size(); ++i) {
      const PlannedAccess& planned = plan.accesses[i];
      if (planned.left_out || planned.covered_by.empty() || has_atomicity(planned.access.kind)) continue;
      if (analyses.loops.getLoopFor(planned.access.inst->getParent()) != loop) continue;
      const auto range = loop_ranges.range(planned.access);
      if (!range || range->stride->isZero()) continue;
      bigfoot::RangePiece piece{.key = range->first,
                                .begin = 0,
                                .end = static_cast<int64_t>(range->size),
                                .kind = planned.access.kind,
                                .stride = range->stride,
                                .count = range->count,
                                .covers = {i}};
      ranges.push_back(bigfoot::range_check(piece, analyses.scev));
      paths.push_back({nullptr, facts.preheader->getTerminator(), behind});
      access_of.push_back(i);
    }
  }
  if (paths.size() < 2) return;
  for (unsigned i = 0; i < paths.size(); ++i) paths[i].range = &ranges[i];
  Entailment entailment(analyses, budget);
  const auto redundant = find_redundant(*plan.function, paths, summaries, entailment);
  for (unsigned i = 0; i < paths.size(); ++i) {
    const unsigned access = access_of[i];
    if (!redundant[i] || !plan.has_own_check(access)) continue;
    const SmallVector<unsigned, 1> by = plan.accesses[access_of[*redundant[i]]].covered_by;
    plan.accesses[access].rule = Rule::QuantifiedPath;
    plan.replace_check(plan.accesses[access].covered_by.front(), by);
  }
  plan.drop_unused_checks();
  count_queries(plan, entailment);
}

} // namespace footrace::redcard
