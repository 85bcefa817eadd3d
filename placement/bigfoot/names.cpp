// Which accesses a check may be reported as.
//
// A check behind a join may stand for one access on the one branch and another on the other, and when it finds a race nothing tells
// which of them it was. Where it costs nothing they are checked themselves instead. Otherwise the check is reported, byte by byte, as an
// access that is made whenever it runs; where there is none, as one of those that touch the byte.
#include "placement/bigfoot/cover.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace footrace::bigfoot {

const PostDominatorTree& Cover::post_dominators() const {
  if (!post_dominators_) post_dominators_.emplace(*plan_.function);
  return *post_dominators_;
}

// The access, and no other check of it, has run whenever the check runs.
bool Cover::must_come_before(unsigned access, const Candidate& candidate) const {
  const PlacedCheck& placed = placed_[candidate.placed];
  const Reach::Place place = *reach_.place_of(access);
  if (place.block == placed.block ? placed.to == nullptr && placed.step <= place.step
                                  : !analyses_.dominators.dominates(place.block, placed.block))
    return false;
  return runs_as_often(*place.block, *placed.block) &&
         none_of(covered_by_[access], [&](unsigned i) { return may_run_before(candidates_[i], candidate); });
}

// The access runs whenever what follows the check does.
bool Cover::must_come_after(unsigned access, const Candidate& candidate) const {
  const BasicBlock* block = plan_.accesses[access].access.inst->getParent();
  const PlacedCheck& placed = placed_[candidate.placed];
  const BasicBlock* from = candidate.hoisted != nullptr ? candidate.hoisted->getParent()
                           : placed.to != nullptr       ? placed.to
                                                        : placed.block;
  return block == from || post_dominators().dominates(block, from);
}

// One of the accesses runs on every path to the check, never two, and each is all that the check is for.
bool Cover::has_alternatives(const Candidate& candidate, unsigned index) const {
  if (candidate.dropped || candidate.own || candidate.hoisted != nullptr || candidate.ahead.any())
    return false;
  if (candidate.covers.size() < 2 || candidate.across_back_edge) return false;
  const Loop* loop = analyses_.loops.getLoopFor(placed_[candidate.placed].block);
  const auto block_of = [&](unsigned access) { return reach_.place_of(access)->block; };
  const auto may_run_twice = [&](unsigned access) {
    return any_of(candidate.covers, [&](unsigned other) {
      return other != access && (block_of(access) == block_of(other) ||
                                 (steps_.number(*block_of(access)) < steps_.number(*block_of(other)) &&
                                  isPotentiallyReachable(block_of(access), block_of(other), nullptr,
                                                         &analyses_.dominators, &analyses_.loops)));
    });
  };
  return all_of(candidate.covers, [&](unsigned access) {
    return paths_.of(access) == candidate.run.bits && covered_by_[access] == Peers{index} &&
           reached_by_[access].empty() && analyses_.loops.getLoopFor(block_of(access)) == loop &&
           !may_run_twice(access);
  });
}

// What the check would have found checked for later accesses is checked at those before it.
void Cover::check_alternatives(Candidate& candidate) {
  candidate.dropped = true;
  for (const unsigned access : candidate.covers) {
    plan_.check_itself(access);
    PlannedCheck& check = plan_.checks.back();
    const auto number = static_cast<unsigned>(plan_.checks.size() - 1);
    for (const unsigned reached : candidate.reaches) {
      check.covers.push_back(reached);
      plan_.accesses[reached].covered_by.push_back(number);
    }
    sort(check.covers);
  }
}

void Cover::name(Candidate& candidate) const {
  PathSet named(paths_.bits());
  const auto add = [&](unsigned access, const PathSet& bytes) {
    PathSet touched = paths_.of(access);
    touched &= bytes;
    if (!touched.test(named)) return;
    named |= touched;
    candidate.names.push_back(access);
  };
  for (const unsigned access : candidate.covers)
    if (candidate.hoisted != nullptr ? must_come_after(access, candidate)
                                     : must_come_before(access, candidate))
      add(access, candidate.run.bits);
  for (const unsigned access : candidate.reaches)
    if (candidate.ahead.any() && must_come_after(access, candidate)) add(access, candidate.ahead);
  PathSet doubtful = candidate.run.bits;
  doubtful.reset(named);
  for (const auto* accesses : {&candidate.covers, &candidate.reaches})
    for (const unsigned access : *accesses)
      if (doubtful.anyCommon(paths_.of(access)) && !is_contained(candidate.names, access))
        candidate.names.push_back(access);
}

void Cover::choose_names() {
  for (unsigned i = 0; i < candidates_.size(); ++i)
    if (has_alternatives(candidates_[i], i)) check_alternatives(candidates_[i]);
  for (Candidate& candidate : candidates_) {
    const bool has_choice = candidate.covers.size() + candidate.reaches.size() > 1;
    if (!candidate.dropped && !candidate.own && has_choice) name(candidate);
  }
}

} // namespace footrace::bigfoot
