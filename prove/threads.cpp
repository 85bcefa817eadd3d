#include "prove/threads.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {

// The state of a std::thread is in a slot of its own (thread_states.h).
static const llvm::Value* only_stored(const llvm::Value* slot) {
  const llvm::Value* stored = nullptr;
  if (!llvm::isa<llvm::AllocaInst>(slot)) return nullptr;
  for (const llvm::User* user : slot->users())
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (stored || store->getPointerOperand() != slot) return nullptr;
      stored = store->getValueOperand();
    }
  return stored;
}

const llvm::Value* argument_of(const PointsTo& pointers, const Spawn& spawn) {
  const LibraryFunction* function = pointers.certain_library_callee(spawn.creator, spawn.site);
  if (function && function->role == Role::SpawnState) return only_stored(spawn.site->getArgOperand(1));
  if (!function || function->role != Role::Spawn) return nullptr;
  return spawn.site->getArgOperand(start_routine_argument(*function) + 1);
}

Threads::Threads(const PointsTo& pointers, const Joins& joins, const Executions& executions)
    : pointers_(pointers), joins_(joins), executions_(executions) {
  std::size_t origins = pointers.contexts().origin_count();
  descendants_.resize(origins);
  creations_.resize(origins);
  exits_.resize(pointers.instances().size());
  thrown_.resize(pointers.instances().size());
  entries_.resize(pointers.instances().size());
  collect_creations();
  left_running_ = descendants_;
  solve_effects();
  // The first round took every descendant to outlive its creator; the second knows better.
  const OriginSet exiting = find_exiting();
  for (InstanceId id = 0; id < pointers.instances().size(); id++) {
    const Instance& instance = pointers.instances()[id];
    OriginId origin = pointers.origin_of(id);
    bool is_entry = origin != main_origin && instance.function == pointers.contexts().origin(origin).entry &&
                    pointers.contexts()[instance.context].calls.empty();
    if (is_entry && !exiting.test(origin) && exits_[id].is_reached)
      left_running_[origin] = exits_[id].created;
  }
  blocks_.clear();
  exits_.assign(exits_.size(), Effect());
  thrown_.assign(thrown_.size(), Effect());
  solve_effects();
  solve_entries();
  find_pairs();
}

// The same one cannot be passed twice.
bool Threads::is_given_own_object(OriginId origin) const {
  llvm::ArrayRef<Spawn> creations = creations_[origin];
  if (creations.size() != 1) return false;
  const llvm::Value* argument = argument_of(pointers_, creations[0]);
  if (!argument) return false;
  Address address = address_of(argument, pointers_.module().getDataLayout());
  const auto* allocation = llvm::dyn_cast<llvm::CallBase>(address.root);
  const LibraryFunction* function = allocation ? library_function(*allocation) : nullptr;
  if (!function || function->role != Role::Allocate) return false;
  return !may_reach(creations[0].site, creations[0].site, allocation);
}

OriginSet Threads::find_exiting() const {
  OriginSet exiting;
  for (InstanceId id = 0; id < pointers_.instances().size(); id++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[id].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
        for (const LibraryFunction* function : pointers_.library_callees(id, call))
          if (function->role == Role::Exit) exiting.set(pointers_.origin_of(id));
  return exiting;
}

void Threads::collect_creations() {
  for (InstanceId creator = 0; creator < pointers_.instances().size(); creator++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[creator].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
        for (InstanceId entry : pointers_.spawned(creator, call)) {
          OriginId child = pointers_.origin_of(entry);
          creations_[child].push_back({creator, call});
          descendants_[pointers_.origin_of(creator)].set(child);
        }
  bool changed = true;
  while (changed) {
    changed = false;
    for (OriginSet& set : descendants_) {
      OriginSet more = set;
      for (OriginId child : set) more |= descendants_[child];
      changed |= set |= more;
    }
  }
}

bool Threads::join(Effect& into, const Effect& from) {
  if (!from.is_reached) return false;
  if (!into.is_reached) {
    into = from;
    return true;
  }
  bool changed = into.created |= from.created;
  changed |= into.ended &= from.ended;
  return changed;
}

void Threads::end(OriginId origin, Effect& state) const {
  OriginSet gone = descendants_[origin];
  gone.set(origin);
  gone.intersectWithComplement(left_running_[origin]);
  state.created.intersectWithComplement(gone);
  state.ended |= gone;
}

void Threads::enter_block(InstanceId instance, const llvm::BasicBlock* block, Effect& state) const {
  for (OriginId origin : joins_.ended_before(instance, block)) end(origin, state);
}

void Threads::apply(InstanceId instance, const llvm::Instruction& inst, Effect& state, Way way) const {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
  if (!call) return;
  // A creation that throws has not created anything.
  const LibraryFunction* function = pointers_.certain_library_callee(instance, call);
  if (way == Way::Throws && function && function->role == Role::SpawnState) return;
  for (InstanceId entry : pointers_.spawned(instance, call)) {
    OriginSet started = descendants_[pointers_.origin_of(entry)];
    started.set(pointers_.origin_of(entry));
    state.created |= started;
    state.ended.intersectWithComplement(started);
  }
  if (way == Way::Returns)
    for (OriginId origin : joins_.ended_by(instance, call)) end(origin, state);
  llvm::ArrayRef<InstanceId> callees = pointers_.callees(instance, call);
  if (callees.empty()) return;
  // A callback need not be called at all, and a function that does not end this way contributes nothing.
  const std::vector<Effect>& exits = way == Way::Returns ? exits_ : thrown_;
  Effect after;
  bool is_certain = pointers_.library_callees(instance, call).empty();
  if (!is_certain) after = state;
  for (InstanceId callee : callees) {
    const Effect& left = exits[callee];
    if (!left.is_reached) continue;
    Effect result = state;
    result.created.intersectWithComplement(left.ended);
    result.ended |= left.ended;
    result.created |= left.created;
    result.ended.intersectWithComplement(left.created);
    join(after, result);
  }
  state = after;
}

bool Threads::flow_through(InstanceId instance, const llvm::BasicBlock& block, Effect& state) {
  return prove::flow_through(
      block, state,
      [&](const llvm::Instruction& inst, Effect& at, Way way) { apply(instance, inst, at, way); },
      [&](Way way, const Effect& left) {
        return join((way == Way::Returns ? exits_ : thrown_)[instance], left);
      });
}

bool Threads::flow(InstanceId instance) {
  const llvm::Function& function = *pointers_.instances()[instance].function;
  bool changed = false;
  Effect start;
  start.is_reached = true;
  changed |= join(blocks_[{instance, &function.getEntryBlock()}], start);
  bool again = true;
  while (again) {
    again = false;
    for (const llvm::BasicBlock& block : function) {
      Effect state = blocks_[{instance, &block}];
      if (!state.is_reached) continue;
      changed |= flow_through(instance, block, state);
      for (const llvm::BasicBlock* next : llvm::successors(&block)) {
        Effect entered = state;
        if (entered.is_reached) apply(instance, *block.getTerminator(), entered, way_to(block, next));
        if (!entered.is_reached) continue;
        enter_block(instance, next, entered);
        again |= join(blocks_[{instance, next}], entered);
      }
    }
    changed |= again;
  }
  return changed;
}

void Threads::solve_effects() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (InstanceId id = static_cast<InstanceId>(pointers_.instances().size()); id-- > 0;)
      changed |= flow(id);
  }
}

Threads::Effect Threads::at(InstanceId instance, const llvm::Instruction* inst) const {
  auto found = blocks_.find({instance, inst->getParent()});
  if (found == blocks_.end() || !found->second.is_reached) return {};
  Effect state = found->second;
  for (const llvm::Instruction& before : *inst->getParent()) {
    if (&before == inst) break;
    apply(instance, before, state);
    if (!state.is_reached) break;
  }
  return state;
}

OriginSet Threads::live(InstanceId instance, const llvm::Instruction* inst) const {
  Effect state = at(instance, inst);
  OriginSet live = entries_[instance];
  live.intersectWithComplement(state.ended);
  live |= state.created;
  return live;
}

void Threads::solve_entries() {
  for (InstanceId id = 0; id < pointers_.instances().size(); id++) {
    OriginId origin = pointers_.origin_of(id);
    // What an earlier thread of this kind left behind.
    if (origin != main_origin && executions_.may_run_again(id)) entries_[id] |= left_running_[origin];
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (InstanceId caller = 0; caller < pointers_.instances().size(); caller++)
      for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[caller].function))
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) {
          llvm::ArrayRef<InstanceId> callees = pointers_.callees(caller, call);
          if (callees.empty()) continue;
          OriginSet now = live(caller, call);
          if (pointers_.may_call_back_often(caller, call))
            for (InstanceId callee : callees) now |= exits_[callee].created;
          for (InstanceId callee : callees) changed |= entries_[callee] |= now;
        }
  }
}

void Threads::find_pairs() {
  for (OriginId child = 0; child < creations_.size(); child++)
    for (const Spawn& spawn : creations_[child]) {
      OriginSet subtree = descendants_[child];
      subtree.set(child);
      OriginSet present = live(spawn.creator, spawn.site);
      if (pointers_.may_spawn_many(spawn.creator, spawn.site))
        for (InstanceId other : pointers_.spawned(spawn.creator, spawn.site)) {
          present.set(pointers_.origin_of(other));
          present |= descendants_[pointers_.origin_of(other)];
        }
      for (OriginId running : present)
        for (OriginId started : subtree) {
          together_.insert({running, started});
          together_.insert({started, running});
        }
    }
}

// Landing pads of what does not throw, and what follows a call that does not return, never run.
bool Threads::may_be_reached(const Access& access) const {
  auto [known, is_new] = reached_.try_emplace({access.instance, access.inst}, false);
  if (is_new) known->second = at(access.instance, access.inst).is_reached;
  return known->second;
}

bool Threads::may_happen_in_parallel(const Access& a, const Access& b) const {
  if (!may_be_reached(a) || !may_be_reached(b)) return false;
  OriginId one = pointers_.origin_of(a.instance), two = pointers_.origin_of(b.instance);
  if (may_run_together(one, two)) return true;
  if (descendants_[one].test(two) && live(a.instance, a.inst).test(two)) return true;
  return descendants_[two].test(one) && live(b.instance, b.inst).test(one);
}

} // namespace footrace::prove
