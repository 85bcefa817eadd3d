#include "placement/redcard/available.h"

#include "facts/sync.h"
#include "placement/bigfoot/contexts.h"
#include "placement/loop_paths.h"
#include "placement/reach.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace footrace::redcard {

void acq(Context&) {}
void rel(Context& context) { context.reset(); }
void assign(Context& context, const PathSet& mentioning) { context.reset(mentioning); }
void read(Context& context, const PathSet& path, const PathSet* mentioning) {
  context |= path;
  if (mentioning != nullptr) assign(context, *mentioning);
}
void write(Context& context, const PathSet& path) { context |= path; }
void if_join(Context& context, const Context& other) { context &= other; }
void call(Context& context, Effects effects) {
  kill_set_history(effects).checks ? rel(context) : acq(context);
}

void step_over(Context& context, const Step& step, const Paths& paths) {
  if (!step.effects.has_none()) call(context, step.effects);
  if (step.ensures.any()) context |= step.ensures;
  for (const unsigned access : step.accesses)
    isa<StoreInst>(step.inst) ? write(context, paths.of(access)) : read(context, paths.of(access), nullptr);
  if (step.defines != nullptr) assign(context, *step.defines);
}

namespace {

class Eliminator {
public:
  Eliminator(Plan& plan, const Steps& steps, const Paths& paths, const FunctionAnalyses& analyses)
      : plan_(plan), steps_(steps), paths_(paths), reach_(steps) {
    find_contexts();
    peel_loops(analyses.loops);
    find_contexts();
  }

  void write() {
    for (BasicBlock* block : steps_.blocks()) {
      Context context = in_.find(block)->second;
      const ArrayRef<Step> steps = steps_.of(*block);
      for (unsigned i = 0; i < steps.size(); ++i) {
        for (const unsigned access : steps[i].accesses) check(access, context, {block, i});
        step_over(context, steps[i], paths_);
      }
    }
    for (const unsigned access : redundant_) cover(access);
    for (PlannedCheck& check : plan_.checks)
      erase_if(check.names, [&](unsigned access) { return !is_contained(check.covers, access); });
    plan_.drop_unused_checks(); // those before a loop whose paths were available already
  }

private:
  using Edge = std::pair<const BasicBlock*, const BasicBlock*>;

  // Loop unrolling of section 6: what the loop is certain to access is checked before it, under the name of an access that every iteration makes.
  void peel_loops(LoopInfo& loops) {
    const bigfoot::Contexts contexts(steps_, paths_, loops);
    const PostDominatorTree post_dominators(*plan_.function);
    for (auto& [head, invariant] : loop_invariant_paths(steps_, paths_, loops, InLoop::OneSpan)) {
      PathSet first = contexts.certain_before(*head, 0);
      first &= invariant;
      const Loop& loop = *loops.getLoopFor(head);
      const std::vector<unsigned> names = name(first, loop, post_dominators);
      for (BasicBlock* from : predecessors(const_cast<BasicBlock*>(head)))
        if (steps_.has(*from) && !loop.contains(from)) peel(*from, *head, first, names);
    }
  }

  // The first accesses to the paths that come whenever the loop's head does; paths that only branches access are dropped.
  std::vector<unsigned> name(PathSet& paths, const Loop& loop,
                             const PostDominatorTree& post_dominators) const {
    std::vector<unsigned> names;
    PathSet unnamed = paths;
    for (BasicBlock* block : steps_.blocks()) {
      if (unnamed.none()) break;
      if (!loop.contains(block) || !post_dominators.dominates(block, loop.getHeader())) continue;
      for (const Step& step : steps_.of(*block))
        for (const unsigned access : step.accesses) {
          if (!unnamed.anyCommon(paths_.of(access))) continue;
          unnamed.reset(paths_.of(access));
          names.push_back(access);
        }
    }
    paths.reset(unnamed);
    return names;
  }

  void peel(BasicBlock& from, const BasicBlock& head, PathSet paths, ArrayRef<unsigned> names) {
    if (head.isEHPad()) return;
    paths.reset(out_.find(&from)->second); // available already
    for (const Paths::Run& run : paths_.coalesce_fields(paths)) {
      const Paths::Anchor* anchor = paths_.anchor(run.key, *from.getTerminator());
      if (anchor == nullptr) continue;
      const auto number = static_cast<unsigned>(plan_.checks.size());
      PlannedCheck check{.shape = Shape::Fixed, .kind = run.kind};
      check.position = from.getSingleSuccessor() != nullptr
                           ? Position{.before = from.getTerminator()}
                           : Position{.from = &from, .to = const_cast<BasicBlock*>(&head)};
      check.base = anchor->value;
      check.offset = run.begin - anchor->offset;
      check.size = static_cast<uint64_t>(run.end - run.begin);
      check.alignment = MinAlign(anchor->alignment, static_cast<uint64_t>(check.offset));
      copy_if(names, std::back_inserter(check.names),
              [&](unsigned access) { return paths_.of(access).anyCommon(run.bits); });
      plan_.checks.push_back(std::move(check));
      reach_.add_on_edge(from, head, number, run.bits);
      auto [entry, inserted] = peeled_.try_emplace({&from, &head}, paths_.bits());
      entry->second |= run.bits;
    }
  }

  Context join(const BasicBlock& block) const {
    if (block.isEntryBlock()) return steps_.required();
    Context in(paths_.bits(), true);
    for (const BasicBlock* before : predecessors(&block)) {
      const auto found = out_.find(before);
      if (found == out_.end()) continue;
      Context along = found->second;
      if (const auto peeled = peeled_.find({before, &block}); peeled != peeled_.end())
        along |= peeled->second;
      if_join(in, along);
    }
    if (const PathSet* renamed = paths_.killed_on_edge_into(block)) assign(in, *renamed);
    return in;
  }

  void find_contexts() {
    out_.clear();
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : steps_.blocks()) {
        Context context = in_[block] = join(*block);
        for (const Step& step : steps_.of(*block)) step_over(context, step, paths_);
        const auto [entry, inserted] = out_.try_emplace(block, context);
        if (inserted || entry->second != context) changed = true;
        entry->second = std::move(context);
      }
    }
  }

  void check(unsigned access, const Context& context, Reach::Place place) {
    if (!paths_.of(access).test(context)) {
      redundant_.push_back(access);
      return;
    }
    reach_.add_before(place, static_cast<unsigned>(plan_.checks.size()), paths_.of(access));
    plan_.check_itself(access);
  }

  void cover(unsigned access) {
    reach_.backward(*reach_.place_of(access), paths_.of(access), [&](unsigned check, Reach::Way) {
      if (check == Reach::elsewhere) return;
      if (is_contained(plan_.accesses[access].covered_by, check)) return;
      plan_.accesses[access].covered_by.push_back(check);
      plan_.checks[check].covers.push_back(access);
    });
    const auto covered_by = ArrayRef(plan_.accesses[access].covered_by);
    if (covered_by.empty()) {
      plan_.accesses[access].rule =
          steps_.required().anyCommon(paths_.of(access)) ? Rule::Requires : Rule::Ensures;
      return;
    }
    const bool peeled =
        all_of(covered_by, [&](unsigned check) { return plan_.checks[check].shape == Shape::Fixed; });
    plan_.accesses[access].rule = peeled                  ? Rule::Peeled
                                  : covered_by.size() > 1 ? Rule::PathExpansion
                                                          : Rule::Available;
  }

  Plan& plan_;
  const Steps& steps_;
  const Paths& paths_;
  Reach reach_;
  DenseMap<Edge, PathSet> peeled_;
  DenseMap<const BasicBlock*, Context> in_, out_;
  std::vector<unsigned> redundant_;
};

} // namespace

void plan_available(Plan& plan, const Steps& steps, const Paths& paths, const FunctionAnalyses& analyses) {
  Eliminator(plan, steps, paths, analyses).write();
}

} // namespace footrace::redcard
