// Which access a check is reported as.
//
// A check behind a join may stand for one access on the one branch and another on the other, and when it finds a race nothing tells
// which of them it was. Every byte of a check is therefore named after an access that is made whenever the check runs, or that all
// accesses to the byte are copies of. Where there is none, the accesses are checked themselves, and the contexts are made again with
// that in mind.
#include "placement/bigfoot/cover.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace footrace::bigfoot {
namespace {

// An access whose check would be copied to more places than this is checked itself: copies cost room and compile time, and save a
// check only where they meet that of another access.
constexpr unsigned most_places = 3;

// The same line of the same function, called from the same lines. Without debug information nothing is known to be the same.
bool are_same_place(const DILocation* a, const DILocation* b) {
  if (a == nullptr) return false;
  for (; a != b; a = a->getInlinedAt(), b = b->getInlinedAt())
    if (a == nullptr || b == nullptr || a->getLine() != b->getLine() || a->getColumn() != b->getColumn() ||
        a->getFile() != b->getFile() || a->getScope()->getSubprogram() != b->getScope()->getSubprogram())
      return false;
  return true;
}

} // namespace

const PostDominatorTree& Cover::post_dominators() const {
  if (!post_dominators_) post_dominators_.emplace(*plan_.function);
  return *post_dominators_;
}

// No release comes between the access and the check, on any path that does not make the access again.
bool Cover::must_share_span(unsigned access, const Candidate& candidate) const {
  const PlacedCheck& placed = placed_[candidate.placed];
  const Reach::Place start = *reach_.place_of(access);
  struct Visit {
    const BasicBlock* block;
    unsigned step;
    bool released;
  };
  DenseSet<std::pair<const BasicBlock*, unsigned>> seen;
  SmallVector<Visit, 8> work{{start.block, start.step + 1, false}};
  while (!work.empty()) {
    Visit visit = work.pop_back_val();
    const ArrayRef<Step> steps = steps_.of(*visit.block);
    bool again = false;
    for (unsigned i = visit.step; i <= steps.size() && !again; ++i) {
      const bool here = placed.to == nullptr && visit.block == placed.block && i == placed.step;
      if (here && visit.released) return false;
      if (i == steps.size()) break;
      again = visit.block == start.block && i == start.step;
      visit.released |= steps[i].effects.may_release();
    }
    if (again) continue;
    for (const BasicBlock* next : successors(visit.block)) {
      if (visit.released && visit.block == placed.block && next == placed.to) return false;
      if (seen.insert({next, visit.released ? 1u : 0u}).second) work.push_back({next, 0, visit.released});
    }
  }
  return true;
}

// The access has run whenever the check runs, with no release since.
bool Cover::must_come_before(unsigned access, const Candidate& candidate) const {
  const PlacedCheck& placed = placed_[candidate.placed];
  const Reach::Place place = *reach_.place_of(access);
  if (place.block == placed.block ? placed.to == nullptr && placed.step <= place.step
                                  : !analyses_.dominators.dominates(place.block, placed.block))
    return false;
  return runs_as_often(*place.block, *placed.block) && must_share_span(access, candidate);
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

// A report would say the same of both: the compiler copied the one that the source has.
bool Cover::are_copies(unsigned access, unsigned other) const {
  if (access == other) return true;
  const Access& a = plan_.accesses[access].access;
  const Access& b = plan_.accesses[other].access;
  return a.kind == b.kind && a.size == b.size &&
         are_same_place(a.inst->getDebugLoc(), b.inst->getDebugLoc()) &&
         paths_.of(access) == paths_.of(other);
}

// Whichever access to these bytes made the check legitimate, it is a copy of this one. Accesses that another check has covered before
// count too, since this check may find a race of theirs again.
bool Cover::must_be_copies(unsigned access, const PathSet& bytes, const Candidate& candidate) const {
  return all_of(candidates_, [&](const Candidate& other) {
    if (other.dropped || !other.run.bits.anyCommon(bytes)) return true;
    if (&other != &candidate && !may_run_before(other, candidate)) return true;
    const auto copies = [&](unsigned i) { return !paths_.of(i).anyCommon(bytes) || are_copies(access, i); };
    return all_of(other.covers, copies) && all_of(other.reaches, copies);
  });
}

// The accesses that name the bytes of the check, one for each byte; returns the bytes that have no name.
PathSet Cover::name(const Candidate& candidate, std::vector<unsigned>& names) const {
  PathSet unnamed = candidate.run.bits;
  const auto add = [&](unsigned access, const PathSet& bytes) {
    PathSet touched = paths_.of(access);
    touched &= bytes;
    if (!touched.anyCommon(unnamed)) return;
    unnamed.reset(touched);
    names.push_back(access);
  };
  for (const unsigned access : candidate.covers) {
    // What came before a release was covered, but does not make the check legitimate.
    if (is_contained(candidate.before_release, access)) continue;
    if (candidate.hoisted != nullptr ? must_come_after(access, candidate)
                                     : must_come_before(access, candidate))
      add(access, candidate.run.bits);
  }
  for (const unsigned access : candidate.reaches)
    if (candidate.ahead.anyCommon(unnamed) && must_come_after(access, candidate))
      add(access, candidate.ahead);
  for (const auto* accesses : {&candidate.covers, &candidate.reaches})
    for (const unsigned access : *accesses) {
      PathSet touched = paths_.of(access);
      touched &= unnamed;
      if (touched.any() && must_be_copies(access, touched, candidate)) add(access, touched);
    }
  return unnamed;
}

void Cover::want_exact(const Candidate& candidate, OwnChecks& more) const {
  std::vector<unsigned> names;
  const PathSet unnamed = name(candidate, names);
  if (unnamed.none()) return;
  for (const auto* accesses : {&candidate.covers, &candidate.reaches})
    for (const unsigned access : *accesses)
      if (unnamed.anyCommon(paths_.of(access))) more.accesses.set(access);
  PathSet ahead = candidate.ahead;
  ahead &= unnamed;
  more.not_ahead |= ahead;
}

// Not if a loop lies between: the check behind it is made once.
bool Cover::has_many_places(unsigned access) const {
  return covered_by_[access].size() > most_places &&
         none_of(covered_by_[access], [&](unsigned i) { return candidates_[i].across_back_edge; });
}

OwnChecks Cover::wanted() const {
  OwnChecks more{BitVector(paths_.accesses()), PathSet(paths_.bits())};
  for (unsigned access = 0; access < paths_.accesses(); ++access)
    if (has_many_places(access)) more.accesses.set(access);
  for (const Candidate& candidate : candidates_)
    if (!candidate.dropped && !candidate.own && !(candidate.covers.empty() && candidate.reaches.empty()))
      want_exact(candidate, more);
  return more;
}

} // namespace footrace::bigfoot
