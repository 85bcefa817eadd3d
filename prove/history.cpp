#include "prove/history.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace footrace::prove {

History::History(const PointsTo& pointers, Events events) : pointers_(pointers), events_(std::move(events)) {
  exits_.resize(pointers.instances().size());
  thrown_.resize(pointers.instances().size());
  entries_.resize(pointers.instances().size());
  bool changed = true;
  while (changed) {
    changed = false;
    for (InstanceId id = static_cast<InstanceId>(exits_.size()); id-- > 0;) changed |= flow(id);
  }
  solve_entries();
}

bool History::join(State& into, const State& from) {
  if (!from.is_reached) return false;
  if (!into.is_reached) {
    into = from;
    return true;
  }
  bool changed = into.may |= from.may;
  changed |= into.must &= from.must;
  return changed;
}

void History::apply(InstanceId instance, const llvm::Instruction& inst, State& state, Way way) const {
  const std::vector<State>& exits = way == Way::Returns ? exits_ : thrown_;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
    if (llvm::ArrayRef<InstanceId> callees = pointers_.callees(instance, call); !callees.empty()) {
      State after;
      // A callback need not be called at all; a function that does not end this way adds nothing.
      if (!pointers_.library_callees(instance, call).empty()) after = state;
      for (InstanceId callee : callees) {
        State result = exits[callee];
        result.must |= state.must;
        result.may |= state.may;
        join(after, result);
      }
      state = after;
    }
  if (auto found = events_.at.find({instance, &inst}); found != events_.at.end()) {
    if (way == Way::Returns) state.must |= found->second;
    state.may |= found->second;
  }
}

bool History::flow_through(InstanceId instance, const llvm::BasicBlock& block, State& state) {
  return prove::flow_through(
      block, state,
      [&](const llvm::Instruction& inst, State& at, Way way) { apply(instance, inst, at, way); },
      [&](Way way, const State& left) {
        return join((way == Way::Returns ? exits_ : thrown_)[instance], left);
      });
}

bool History::flow(InstanceId instance) {
  const llvm::Function& function = *pointers_.instances()[instance].function;
  State start;
  start.is_reached = true;
  bool changed = join(blocks_[{instance, &function.getEntryBlock()}], start);
  bool again = true;
  while (again) {
    again = false;
    for (const llvm::BasicBlock& block : function) {
      State state = blocks_[{instance, &block}];
      if (state.is_reached) changed |= flow_through(instance, block, state);
      for (const llvm::BasicBlock* next : llvm::successors(&block)) {
        State taken = state;
        if (taken.is_reached) apply(instance, *block.getTerminator(), taken, way_to(block, next));
        if (!taken.is_reached) continue;
        if (auto found = events_.along.find({instance, &block, next}); found != events_.along.end()) {
          taken.must |= found->second;
          taken.may |= found->second;
        }
        again |= join(blocks_[{instance, next}], taken);
      }
    }
    changed |= again;
  }
  return changed;
}

void History::solve_entries() {
  State start;
  start.is_reached = true;
  if (pointers_.main_instance()) entries_[*pointers_.main_instance()] = start;
  for (InstanceId id = 0; id < entries_.size(); id++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[id].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
        for (InstanceId entry : pointers_.spawned(id, call)) entries_[entry] = start;
  bool changed = true;
  while (changed) {
    changed = false;
    for (InstanceId caller = 0; caller < entries_.size(); caller++)
      for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[caller].function)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
        if (!call || pointers_.callees(caller, call).empty()) continue;
        State now = at(caller, call);
        if (pointers_.may_call_back_often(caller, call))
          for (InstanceId callee : pointers_.callees(caller, call)) now.may |= exits_[callee].may;
        for (InstanceId callee : pointers_.callees(caller, call)) changed |= join(entries_[callee], now);
      }
  }
}

History::State History::at(InstanceId instance, const llvm::Instruction* inst) const {
  auto found = blocks_.find({instance, inst->getParent()});
  if (found == blocks_.end() || !found->second.is_reached || !entries_[instance].is_reached) return {};
  State state = found->second;
  for (const llvm::Instruction& before : *inst->getParent()) {
    if (&before == inst) break;
    apply(instance, before, state);
    if (!state.is_reached) return {};
  }
  state.must |= entries_[instance].must;
  state.may |= entries_[instance].may;
  return state;
}

Marks History::must_before(InstanceId instance, const llvm::Instruction* inst) const {
  return at(instance, inst).must;
}

Marks History::may_before(InstanceId instance, const llvm::Instruction* inst) const {
  return at(instance, inst).may;
}

} // namespace footrace::prove
