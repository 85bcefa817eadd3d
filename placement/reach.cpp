#include "placement/reach.h"

#include "llvm/IR/CFG.h"

using namespace llvm;

namespace footrace {
namespace {

// What a walk still has to do: a block, what is not found yet, and how the walk came there.
struct Visit {
  const BasicBlock* block;
  PathSet remaining;
  Reach::Way way = {};
};

using Seen = DenseMap<const BasicBlock*, Visit>;

// True if the block has not been walked for all of these bytes on such a way; then it is walked for all seen so far.
bool enter(Seen& seen, Visit& visit) {
  const auto [entry, inserted] = seen.try_emplace(visit.block, visit);
  if (inserted) return true;
  Visit& old = entry->second;
  if (!visit.remaining.test(old.remaining) && visit.way.release <= old.way.release &&
      visit.way.back_edge <= old.way.back_edge)
    return false;
  old.remaining |= visit.remaining;
  old.way.release |= visit.way.release;
  old.way.back_edge |= visit.way.back_edge;
  visit = old;
  return true;
}

} // namespace

Reach::Reach(const Steps& steps) : steps_(steps) {
  for (const BasicBlock* block : steps.blocks()) {
    const ArrayRef<Step> list = steps.of(*block);
    for (unsigned i = 0; i < list.size(); ++i)
      for (const unsigned access : list[i].accesses) places_.insert({access, {block, i}});
  }
}

void Reach::add_before(Place place, unsigned check, PathSet bits) {
  before_[{place.block, place.step}].push_back({check, std::move(bits)});
}

void Reach::add_on_edge(const BasicBlock& from, const BasicBlock& to, unsigned check, PathSet bits) {
  on_edge_[{&from, &to}].push_back({check, std::move(bits)});
}

const Reach::Place* Reach::place_of(unsigned access) const {
  const auto found = places_.find(access);
  return found == places_.end() ? nullptr : &found->second;
}

const Reach::Checks* Reach::before(const BasicBlock* block, unsigned step) const {
  const auto found = before_.find({block, step});
  return found == before_.end() ? nullptr : &found->second;
}

const Reach::Checks* Reach::on_edge(const BasicBlock* from, const BasicBlock* to) const {
  const auto found = on_edge_.find({from, to});
  return found == on_edge_.end() ? nullptr : &found->second;
}

void Reach::take_elsewhere(const PathSet& bits, PathSet& remaining, Way way, Found found) {
  if (bits.empty() || !bits.anyCommon(remaining)) return;
  found(elsewhere, way);
  remaining.reset(bits);
}

void Reach::take(const Checks& checks, PathSet& remaining, Way way, Found found) {
  for (const Check& check : checks) {
    if (!check.bits.anyCommon(remaining)) continue;
    found(check.number, way);
    remaining.reset(check.bits);
  }
}

void Reach::forward(Place from, PathSet remaining, Found found) const {
  Seen seen;
  SmallVector<Visit, 4> work{{from.block, std::move(remaining)}};
  for (bool start = true; !work.empty(); start = false) {
    Visit visit = work.pop_back_val();
    if (!start && !enter(seen, visit)) continue;
    const ArrayRef<Step> steps = steps_.of(*visit.block);
    for (unsigned i = start ? from.step + 1 : 0; i <= steps.size() && visit.remaining.any(); ++i) {
      if (const Checks* checks = before(visit.block, i)) take(*checks, visit.remaining, visit.way, found);
      if (i == steps.size()) continue;
      visit.way.release |= steps[i].effects.may_release();
      take_elsewhere(steps[i].ensures, visit.remaining, visit.way, found);
    }
    if (visit.remaining.none()) continue;
    for (const BasicBlock* next : successors(visit.block)) {
      Visit onward{next, visit.remaining, visit.way};
      if (const Checks* checks = on_edge(visit.block, next))
        take(*checks, onward.remaining, onward.way, found);
      const EdgeKind kind = steps_.kind(*visit.block, *next);
      onward.way.back_edge |= kind == EdgeKind::Back || kind == EdgeKind::BackEndless;
      if (onward.remaining.any()) work.push_back(std::move(onward));
    }
  }
}

void Reach::backward(Place from, PathSet remaining, Found found) const {
  Seen seen;
  SmallVector<Visit, 4> work{{from.block, std::move(remaining)}};
  for (bool start = true; !work.empty(); start = false) {
    Visit visit = work.pop_back_val();
    if (!start && !enter(seen, visit)) continue;
    const auto steps = static_cast<unsigned>(steps_.of(*visit.block).size());
    const unsigned last = start ? from.step : steps;
    for (unsigned i = last + 1; i-- != 0 && visit.remaining.any();) {
      if (i != last) take_elsewhere(steps_.of(*visit.block)[i].ensures, visit.remaining, {}, found);
      if (const Checks* checks = before(visit.block, i)) take(*checks, visit.remaining, {}, found);
    }
    if (visit.block->isEntryBlock()) take_elsewhere(steps_.required(), visit.remaining, {}, found);
    if (visit.remaining.none()) continue;
    for (const BasicBlock* previous : predecessors(visit.block)) {
      if (!steps_.has(*previous)) continue;
      Visit onward{previous, visit.remaining};
      if (const Checks* checks = on_edge(previous, visit.block)) take(*checks, onward.remaining, {}, found);
      if (onward.remaining.any()) work.push_back(std::move(onward));
    }
  }
}

} // namespace footrace
