#include "placement/bigfoot/cover.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

using namespace llvm;

namespace footrace::bigfoot {
namespace {

// A check behind which a musttail call returns comes before the call.
Instruction* end_of(BasicBlock& block) {
  if (CallInst* call = block.getTerminatingMustTailCall()) return call;
  return block.getTerminator();
}

bool has_irreducible_cycle(const Function& function, const LoopInfo& loops) {
  ReversePostOrderTraversal<const Function*> order(&function);
  return containsIrreducibleCFG<const BasicBlock*>(order, loops);
}

bool add_once(SmallVectorImpl<unsigned>& list, unsigned item) {
  if (is_contained(list, item)) return false;
  list.push_back(item);
  return true;
}

} // namespace

Cover::Cover(Plan& plan, const Steps& steps, const Paths& paths, const Contexts& contexts,
             const FunctionAnalyses& analyses)
    : plan_(plan), steps_(steps), paths_(paths), contexts_(contexts), analyses_(analyses), reach_(steps),
      is_reducible_(!has_irreducible_cycle(*plan.function, analyses.loops)), placed_(contexts.place()),
      covered_by_(plan.accesses.size()), reached_by_(plan.accesses.size()),
      elsewhere_(static_cast<unsigned>(plan.accesses.size())) {
  index();
  for (unsigned access = 0; access < plan_.accesses.size(); ++access)
    if (reach_.place_of(access) != nullptr && covered_by_[access].empty()) find_covers(access);
  for (unsigned i = 0; i < candidates_.size(); ++i) settle(i);
}

// The access's own check.
void Cover::index_own(BasicBlock& block, unsigned step, unsigned access) {
  const PathSet& path = paths_.of(access);
  const auto number = static_cast<unsigned>(candidates_.size());
  candidates_.push_back({.placed = static_cast<unsigned>(placed_.size()),
                         .run = std::move(paths_.coalesce_fields(path).front()),
                         .covers = {access},
                         .ahead = PathSet(paths_.bits()),
                         .settled = true,
                         .own = access});
  placed_.push_back({&block, step, nullptr, path});
  reach_.add_before({&block, step}, number, path);
  covered_by_[access] = {number};
}

void Cover::index() {
  for (unsigned i = 0; i < placed_.size(); ++i) {
    const PlacedCheck& placed = placed_[i];
    for (Paths::Run& run : paths_.coalesce_fields(placed.paths)) {
      const auto number = static_cast<unsigned>(candidates_.size());
      if (placed.to != nullptr)
        reach_.add_on_edge(*placed.block, *placed.to, number, run.bits);
      else
        reach_.add_before({placed.block, placed.step}, number, run.bits);
      PathSet ahead = run.bits;
      placed.ahead.empty() ? ahead.reset() : (ahead &= placed.ahead);
      candidates_.push_back({.placed = i, .run = std::move(run), .ahead = std::move(ahead)});
    }
  }
  const BitVector& own = contexts_.own().accesses;
  if (own.none()) return;
  for (BasicBlock* block : steps_.blocks()) {
    const ArrayRef<Step> steps = steps_.of(*block);
    for (unsigned i = 0; i < steps.size(); ++i)
      for (const unsigned access : steps[i].accesses)
        if (own.test(access) && paths_.of(access).test(contexts_.checks_before(*block, i)))
          index_own(*block, i, access);
  }
}

void Cover::find_covers(unsigned access) {
  const Reach::Place place = *reach_.place_of(access);
  const PathSet& checked = contexts_.checks_before(*place.block, place.step);
  PathSet behind = paths_.of(access);
  behind.reset(checked);
  PathSet before = paths_.of(access);
  before &= checked;
  if (before.any())
    reach_.backward(place, std::move(before), [&](unsigned check, Reach::Way) {
      if (check == Reach::elsewhere) return static_cast<void>(elsewhere_.set(access));
      if (add_once(reached_by_[access], check)) candidates_[check].reaches.push_back(access);
    });
  if (behind.any())
    reach_.forward(place, std::move(behind), [&](unsigned check, Reach::Way way) {
      if (check == Reach::elsewhere) return static_cast<void>(elsewhere_.set(access));
      if (add_once(covered_by_[access], check)) candidates_[check].covers.push_back(access);
      if (way.release) add_once(candidates_[check].before_release, access);
      candidates_[check].across_back_edge |= way.back_edge;
    });
}

// Checks on different paths from the same accesses, for the same bytes: one check at one of the accesses can stand for all.
bool Cover::are_peers(const Peers& peers) const {
  const Candidate& first = candidates_[peers.front()];
  return all_of(peers, [&](unsigned i) {
    const Candidate& peer = candidates_[i];
    return peer.before_release.empty() && !peer.across_back_edge && peer.covers == first.covers &&
           peer.run.bits == first.run.bits && all_of(peer.covers, [&](unsigned access) {
             // What a callee has checked may have been released since, before the next of these accesses.
             return covered_by_[access] == peers && (peer.covers.size() == 1 || !elsewhere_.test(access));
           });
  });
}

// Whenever `other` runs, `block`, which dominates it, has run since the last time: no cycle holds the one without the other.
bool Cover::runs_as_often(const BasicBlock& block, const BasicBlock& other) const {
  if (&block == &other) return true;
  const Loop* loop = analyses_.loops.getLoopFor(&other);
  return is_reducible_ && (loop == nullptr || loop->contains(&block));
}

// A check in a loop stays in it: before the loop it would stand for the first iteration only, if the loop releases.
bool Cover::may_move_to(const Instruction& inst, const Peers& peers) const {
  const BasicBlock& block = *inst.getParent();
  const Candidate& first = candidates_[peers.front()];
  return all_of(peers,
                [&](unsigned i) { return runs_as_often(block, *placed_[candidates_[i].placed].block); }) &&
         all_of(first.covers, [&](unsigned access) {
           return runs_as_often(block, *plan_.accesses[access].access.inst->getParent());
         });
}

// Where a check is, for comparison: no check runs before a smaller one without a back edge between.
std::pair<unsigned, unsigned> Cover::order_of(const Candidate& candidate) const {
  const PlacedCheck& placed = placed_[candidate.placed];
  const auto steps = static_cast<unsigned>(steps_.of(*placed.block).size());
  return {steps_.number(*placed.block), placed.to != nullptr ? steps + 1 : placed.step};
}

bool Cover::may_run_before(const Candidate& first, const Candidate& second) const {
  if (order_of(first) >= order_of(second)) return false;
  const PlacedCheck& from = placed_[first.placed];
  const BasicBlock* to = placed_[second.placed].block;
  return isPotentiallyReachable(from.to != nullptr ? from.to : from.block, to, nullptr, &analyses_.dominators,
                                &analyses_.loops);
}

// What a peer has checked for accesses behind it stays checked at `inst`: who comes to the peer has passed that since the last time,
// and no other peer since, behind which a release may be.
bool Cover::must_pass(const Instruction& inst, const Peers& peers) const {
  const BasicBlock& block = *inst.getParent();
  return all_of(peers, [&](unsigned i) {
    const BasicBlock& placed = *placed_[candidates_[i].placed].block;
    return candidates_[i].reaches.empty() ||
           (analyses_.dominators.dominates(&block, &placed) && runs_as_often(block, placed) &&
            none_of(peers,
                    [&](unsigned other) { return may_run_before(candidates_[other], candidates_[i]); }));
  });
}

// The access whose own check is what the peers check.
std::optional<unsigned> Cover::own_access(const Peers& peers) const {
  const Candidate& first = candidates_[peers.front()];
  // A check before a loop may be for more than what it covers here: what it has checked for the loop.
  const bool enough = !first.run.bits.test(paths_.of(first.covers.front()));
  if (first.covers.size() == 1 && enough &&
      must_pass(*plan_.accesses[first.covers.front()].access.inst, peers))
    return first.covers.front();
  for (const unsigned access : first.covers) {
    if (paths_.of(access) != first.run.bits) continue;
    const Instruction* inst = plan_.accesses[access].access.inst;
    if (may_move_to(*inst, peers) && must_pass(*inst, peers) && all_of(peers, [&](unsigned i) {
          return analyses_.dominators.dominates(inst->getParent(), placed_[candidates_[i].placed].block);
        }))
      return access;
  }
  return std::nullopt;
}

// The access where all that the peers check is certain to be accessed: the check may be made there.
Instruction* Cover::first_access(const Peers& peers) const {
  const Candidate& first = candidates_[peers.front()];
  for (const unsigned access : first.covers) {
    Instruction* inst = plan_.accesses[access].access.inst;
    const bool dominates = all_of(first.covers, [&](unsigned other) {
      const Instruction* inst2 = plan_.accesses[other].access.inst;
      return inst == inst2 || analyses_.dominators.dominates(inst, inst2);
    });
    if (!dominates) continue;
    if (!may_move_to(*inst, peers) || !must_pass(*inst, peers)) return nullptr;
    const Reach::Place place = *reach_.place_of(access);
    const PathSet& certain = contexts_.certain_before(*place.block, place.step);
    if (first.run.bits.test(certain)) return nullptr; // not all of them
    return paths_.anchor(first.run.key, *inst) != nullptr ? inst : nullptr;
  }
  return nullptr;
}

void Cover::settle(unsigned index) {
  Candidate& candidate = candidates_[index];
  if (candidate.settled || candidate.covers.empty()) return;
  const Peers peers = covered_by_[candidate.covers.front()];
  if (!are_peers(peers)) return;
  candidate.own = own_access(peers);
  if (!candidate.own) candidate.hoisted = first_access(peers);
  if (!candidate.own && candidate.hoisted == nullptr) return;
  for (const unsigned i : peers) {
    candidates_[i].settled = true;
    if (i == index) continue;
    candidates_[i].dropped = true;
    candidate.ahead |= candidates_[i].ahead;
    for (const unsigned access : candidates_[i].covers) covered_by_[access] = {index};
    for (const unsigned access : candidates_[i].reaches) {
      erase(reached_by_[access], i);
      if (add_once(reached_by_[access], index)) candidate.reaches.push_back(access);
    }
  }
}

Position Cover::position(const PlacedCheck& placed) const {
  if (placed.to == nullptr) {
    const ArrayRef<Step> steps = steps_.of(*placed.block);
    return {.before = placed.step < steps.size() ? steps[placed.step].inst : end_of(*placed.block)};
  }
  if (placed.block->getSingleSuccessor() != nullptr) return {.before = end_of(*placed.block)};
  if (placed.to->getSinglePredecessor() != nullptr) return {.before = &*placed.to->getFirstInsertionPt()};
  return {.from = placed.block, .to = placed.to};
}

void Cover::add_check(const Candidate& candidate) {
  const auto number = static_cast<unsigned>(plan_.checks.size());
  PlannedCheck check{.kind = candidate.run.kind};
  if (candidate.own) {
    Instruction* inst = plan_.accesses[*candidate.own].access.inst;
    check.kind = plan_.accesses[*candidate.own].access.kind;
    check.position = {.before = inst};
    check.own = *candidate.own;
  } else {
    check.shape = Shape::Fixed;
    check.position = candidate.hoisted != nullptr ? Position{.before = candidate.hoisted}
                                                  : position(placed_[candidate.placed]);
    const Instruction* at =
        check.position.before != nullptr ? check.position.before : check.position.from->getTerminator();
    const Paths::Anchor& anchor = *paths_.anchor(candidate.run.key, *at);
    check.base = anchor.value;
    check.offset = candidate.run.begin - anchor.offset;
    check.size = static_cast<uint64_t>(candidate.run.end - candidate.run.begin);
    check.alignment = MinAlign(anchor.alignment, static_cast<uint64_t>(check.offset));
  }
  if (!candidate.own && candidate.covers.size() + candidate.reaches.size() > 1) name(candidate, check.names);
  check.covers = candidate.covers;
  check.covers.insert(check.covers.end(), candidate.reaches.begin(), candidate.reaches.end());
  sort(check.covers);
  check.covers.erase(std::unique(check.covers.begin(), check.covers.end()), check.covers.end());
  for (const unsigned access : check.covers) plan_.accesses[access].covered_by.push_back(number);
  plan_.checks.push_back(std::move(check));
}

Rule Cover::rule_of(unsigned access) const {
  if (elsewhere_.test(access) && covered_by_[access].empty() && reached_by_[access].empty())
    return steps_.required().anyCommon(paths_.of(access)) ? Rule::Requires : Rule::Ensures;
  if (covered_by_[access].empty()) {
    const BasicBlock* block = reach_.place_of(access)->block;
    const bool from_loop_entry = all_of(reached_by_[access], [&](unsigned i) {
      const PlacedCheck& placed = placed_[candidates_[i].placed];
      const Loop* loop = placed.to != nullptr ? analyses_.loops.getLoopFor(placed.to) : nullptr;
      return loop != nullptr && loop->getHeader() == placed.to && loop->contains(block);
    });
    if (from_loop_entry) return Rule::LoopInvariant;
    return reached_by_[access].size() > 1 ? Rule::PathExpansion : Rule::Available;
  }
  const Candidate& candidate = candidates_[covered_by_[access].front()];
  if (candidate.across_back_edge) return Rule::LoopInvariant;
  if (candidate.run.bits != paths_.of(access) && candidate.covers.size() > 1) {
    const bool same_bytes = any_of(candidate.covers, [&](unsigned other) {
      return other != access && !paths_.of(access).test(paths_.of(other));
    });
    return same_bytes ? Rule::Anticipated : Rule::Coalesced;
  }
  return candidate.covers.size() > 1 ? Rule::Anticipated : Rule::Deferred;
}

void Cover::write() {
  // A check that is nobody's first adds nothing.
  for (const Candidate& candidate : candidates_)
    if (!candidate.dropped && !(candidate.covers.empty() && candidate.reaches.empty())) add_check(candidate);
  for (unsigned access = 0; access < plan_.accesses.size(); ++access)
    if (reach_.place_of(access) != nullptr && !plan_.has_own_check(access))
      plan_.accesses[access].rule = rule_of(access);
}

} // namespace footrace::bigfoot
