#include "placement/bigfoot/contexts.h"

#include "facts/sync.h"
#include "placement/loop_paths.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace footrace::bigfoot {
namespace {

// The forward half of one step: effects, then accesses, then the definition.
PathSet step_forward(History& history, const Step& step, const Anticipated& anticipated, const Paths& paths,
                     const OwnChecks& own) {
  PathSet check(paths.bits());
  if (!step.effects.has_none()) check = call(history, anticipated, step.effects);
  for (const unsigned access : step.accesses) {
    if (isa<StoreInst>(step.inst))
      write(history, paths.of(access));
    else
      read(history, paths.of(access));
    if (own.accesses.test(access)) history.checks |= paths.of(access);
  }
  if (step.ensures.any()) history.checks |= step.ensures;
  if (step.defines != nullptr) assign(history, *step.defines);
  return check;
}

// The backward half.
void step_backward(Anticipated& anticipated, const Step& step, const Paths& paths) {
  if (step.defines != nullptr) assign(anticipated, *step.defines);
  for (const unsigned access : step.accesses) {
    if (isa<StoreInst>(step.inst))
      write(anticipated, paths.of(access));
    else
      read(anticipated, paths.of(access), nullptr);
  }
  if (!step.effects.has_none()) call(anticipated, step.effects);
}

template <class Sets> bool update(Sets& sets, const BasicBlock& block, PathSet set) {
  PathSet& old = sets[&block];
  if (old == set && old.size() == set.size()) return false;
  old = std::move(set);
  return true;
}

const Anticipated no_paths;

} // namespace

Contexts::Contexts(const Steps& steps, const Paths& paths, const LoopInfo& loops)
    : steps_(steps), paths_(paths), loops_(loops), own_{BitVector(paths.accesses()), PathSet(paths.bits())} {
  find_past_accesses();
  find_anticipated();
  find_join_paths();
  find_past_checks();
}

void Contexts::check_themselves(OwnChecks own) {
  const bool moves_checks = own.not_ahead != own_.not_ahead;
  own_ = std::move(own);
  if (moves_checks) {
    join_paths_.clear();
    find_join_paths();
  }
  find_past_checks();
  block_of_checks_ = nullptr;
}

PathSet Contexts::join_past_accesses(const BasicBlock& block, const Sets& out) const {
  if (block.isEntryBlock()) return PathSet(paths_.bits());
  PathSet in(paths_.bits(), true);
  for (const BasicBlock* before : predecessors(&block))
    if (const auto found = out.find(before); found != out.end()) in &= found->second;
  if (const PathSet* renamed = paths_.killed_on_edge_into(block)) in.reset(*renamed);
  in &= paths_.usable_in(block);
  return in;
}

void Contexts::find_past_accesses() {
  Sets out;
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock* block : steps_.blocks()) {
      History history{join_past_accesses(*block, out), PathSet(paths_.bits())};
      update(past_in_, *block, history.accesses);
      for (const Step& step : steps_.of(*block)) step_forward(history, step, no_paths, paths_, own_);
      changed |= update(out, *block, history.accesses);
    }
  }
}

PathSet Contexts::anticipated_through(const BasicBlock& block, PathSet anticipated, bool certain,
                                      std::vector<PathSet>* after) const {
  for (const Step& step : reverse(steps_.of(block))) {
    if (after != nullptr) after->push_back(anticipated);
    step_backward(anticipated, step, paths_);
    if (certain && step.effects.may_release()) anticipated.reset();
  }
  if (after != nullptr) std::reverse(after->begin(), after->end());
  return anticipated;
}

PathSet Contexts::join_anticipated(const BasicBlock& block, const Sets& in, const Sets* beyond) const {
  if (succ_empty(&block)) return PathSet(paths_.bits());
  PathSet out(paths_.bits(), true);
  for (const BasicBlock* next : successors(&block)) {
    const bool endless = steps_.kind(block, *next) == EdgeKind::BackEndless;
    if (endless && beyond == nullptr) return PathSet(paths_.bits());
    const Sets& known = endless ? *beyond : in;
    const auto found = known.find(next);
    if (found == known.end()) continue;
    PathSet along = found->second;
    if (const PathSet* renamed = paths_.killed_on_edge_into(*next)) along.reset(*renamed);
    out &= along;
  }
  return out;
}

void Contexts::find_anticipated() {
  const auto solve = [&](Sets& in, bool certain, const Sets* beyond) {
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : reverse(steps_.blocks())) {
        PathSet out = join_anticipated(*block, in, beyond);
        changed |= update(in, *block, anticipated_through(*block, out, certain, nullptr));
        if (!certain) anticipated_out_[block] = std::move(out);
      }
    }
  };
  solve(anticipated_in_, false, nullptr);
  // What one iteration of an endless loop is certain to access is certain before its back edge too. (A pending check may
  // not rely on that: it would be put off in every iteration.)
  solve(certain_beyond_, true, nullptr);
  solve(certain_in_, true, &certain_beyond_);
}

// What may have been made, and not been ended by a release, when a block ends. `made` is made at the start of its block,
// and accesses are made where they are if they count.
Contexts::Sets Contexts::flow(const Sets& made, bool accesses_too) const {
  Sets out;
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock* block : steps_.blocks()) {
      PathSet paths(paths_.bits());
      for (const BasicBlock* before : predecessors(block))
        if (const auto found = out.find(before); found != out.end()) paths |= found->second;
      if (const PathSet* renamed = paths_.killed_on_edge_into(*block)) paths.reset(*renamed);
      if (const auto found = made.find(block); found != made.end()) paths |= found->second;
      for (const Step& step : steps_.of(*block)) {
        if (step.effects.may_release()) paths.reset();
        if (accesses_too)
          for (const unsigned access : step.accesses) paths |= paths_.of(access);
        if (step.defines != nullptr) paths.reset(*step.defines);
      }
      changed |= update(out, *block, std::move(paths));
    }
  }
  return out;
}

bool Contexts::may_check_before(const BasicBlock& block) const { return !block.isEHPad(); }

// Of the paths, those whose address is known on every edge into the block.
PathSet Contexts::usable_before(const BasicBlock& block, PathSet paths) const {
  if (const PathSet* renamed = paths_.killed_on_edge_into(block)) paths.reset(*renamed);
  PathSet usable(paths_.bits());
  for (const Paths::Run& run : paths_.coalesce_fields(paths))
    if (all_of(predecessors(&block), [&](const BasicBlock* before) {
          return !steps_.has(*before) || paths_.anchor(run.key, *before->getTerminator()) != nullptr;
        }))
      usable |= run.bits;
  paths &= usable;
  return paths;
}

// Beyond the paper: a check may be made before the access, where that is certain to happen with neither an acquire nor a release
// between. What every iteration of a loop accesses under one name is checked on the edges into the loop's head where it has
// not been checked: once before the loop, and once after each release in it. A path that is checked at the head stays
// so where the loop's branches join, by the same means. Such checks are made even if the loop never ends.
void Contexts::find_join_paths() {
  const Sets accessed = flow(Sets(), true);
  for (auto& [head, paths] : loop_invariant_paths(steps_, paths_, loops_, InLoop::ManySpans)) {
    if (!may_check_before(*head)) continue;
    PathSet kept(paths_.bits()); // by the end of an iteration
    for (const BasicBlock* latch : predecessors(head))
      if (loops_.getLoopFor(head)->contains(latch)) kept |= accessed.find(latch)->second;
    paths &= kept;
    paths &= certain_in_.find(head)->second;
    paths.reset(own_.not_ahead);
    join_paths_[head] = usable_before(*head, paths);
  }
  const Sets checked = flow(join_paths_, false);
  Sets joins;
  for (const BasicBlock* block : steps_.blocks()) {
    if (!block->hasNPredecessorsOrMore(2) || loops_.getLoopFor(block) == nullptr ||
        loops_.isLoopHeader(block) || !may_check_before(*block))
      continue;
    PathSet paths(paths_.bits());
    for (const BasicBlock* before : predecessors(block))
      if (const auto found = checked.find(before); found != checked.end()) paths |= found->second;
    paths &= certain_in_.find(block)->second;
    paths.reset(own_.not_ahead);
    joins[block] = usable_before(*block, std::move(paths));
  }
  for (auto& [block, paths] : joins) join_paths_[block] = std::move(paths);
}

History Contexts::through(BasicBlock& block, Emit emit) const {
  std::vector<PathSet> after;
  anticipated_through(block, anticipated_out_.find(&block)->second, false, &after);
  History history{past_in_.find(&block)->second, checks_in_.find(&block)->second};
  const ArrayRef<Step> steps = steps_.of(block);
  for (unsigned i = 0; i < steps.size(); ++i)
    emit({&block, i, nullptr, step_forward(history, steps[i], after[i], paths_, own_)});
  if (succ_empty(&block)) emit({&block, static_cast<unsigned>(steps.size()), nullptr, stmt(history)});
  return history;
}

History Contexts::along(BasicBlock& from, BasicBlock& to, History history, Emit emit) const {
  const PathSet* renamed = paths_.killed_on_edge_into(to);
  const EdgeKind kind = steps_.kind(from, to);
  if (kind == EdgeKind::Unwind) {
    // All that was pending has been checked before the call.
    if (renamed != nullptr) assign(history, *renamed);
    return history;
  }
  PathSet check(paths_.bits()), ahead(paths_.bits());
  if (renamed != nullptr) check = rename(history, *renamed);
  const PathSet& kept = past_in_.find(&to)->second;
  const Anticipated& head = anticipated_in_.find(&to)->second;
  switch (kind) {
  case EdgeKind::Forward:
    check |= if_branch(history, kept, head);
    break;
  case EdgeKind::EntersEndless:
    check |= loop_in(history, kept, head, true);
    break;
  case EdgeKind::Back:
  case EdgeKind::BackEndless:
    check |= loop_back(history, kept, head, kind == EdgeKind::BackEndless);
    break;
  case EdgeKind::Unwind:
    break;
  }
  if (const auto found = join_paths_.find(&to); found != join_paths_.end()) {
    PathSet missing = found->second;
    missing.reset(history.checks);
    history.checks |= missing;
    check |= missing;
    ahead = std::move(missing);
    ahead.reset(history.accesses);
  }
  emit({&from, 0, &to, std::move(check), std::move(ahead)});
  return history;
}

void Contexts::find_past_checks() {
  const auto ignore = [](PlacedCheck) {};
  for (BasicBlock* block : steps_.blocks())
    checks_in_[block] = block->isEntryBlock() ? steps_.required() : PathSet(paths_.bits(), true);
  SmallPtrSet<const BasicBlock*, 32> pending(steps_.blocks().begin(), steps_.blocks().end());
  while (!pending.empty()) {
    for (BasicBlock* block : steps_.blocks()) {
      if (!pending.erase(block)) continue;
      const History out = through(*block, ignore);
      for (BasicBlock* next : successors(block)) {
        if (next->isEntryBlock()) continue;
        PathSet checks = along(*block, *next, out, ignore).checks;
        checks &= checks_in_[next];
        if (update(checks_in_, *next, std::move(checks))) pending.insert(next);
      }
    }
  }
}

std::vector<PlacedCheck> Contexts::place() const {
  std::vector<PlacedCheck> placed;
  const auto keep = [&](PlacedCheck check) {
    if (check.paths.any()) placed.push_back(std::move(check));
  };
  for (BasicBlock* block : steps_.blocks()) {
    const History out = through(*block, keep);
    SmallPtrSet<const BasicBlock*, 4> seen;
    for (BasicBlock* next : successors(block))
      if (seen.insert(next).second) along(*block, *next, out, keep);
  }
  return placed;
}

const PathSet& Contexts::checks_before(const BasicBlock& block, unsigned step) const {
  if (block_of_checks_ != &block) {
    block_of_checks_ = &block;
    checks_before_.clear();
    std::vector<PathSet> after;
    anticipated_through(block, anticipated_out_.find(&block)->second, false, &after);
    History history{past_in_.find(&block)->second, checks_in_.find(&block)->second};
    const ArrayRef<Step> steps = steps_.of(block);
    for (unsigned i = 0; i < steps.size(); ++i) {
      checks_before_.push_back(history.checks);
      step_forward(history, steps[i], after[i], paths_, own_);
    }
  }
  return checks_before_[step];
}

const PathSet& Contexts::certain_before(const BasicBlock& block, unsigned step) const {
  if (block_of_certain_ != &block) {
    block_of_certain_ = &block;
    certain_before_.clear();
    PathSet first = anticipated_through(block, join_anticipated(block, certain_in_, &certain_beyond_), true,
                                        &certain_before_);
    certain_before_.insert(certain_before_.begin(), std::move(first));
  }
  return certain_before_[step];
}

} // namespace footrace::bigfoot
