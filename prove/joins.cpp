#include "prove/joins.h"

#include "prove/loop_arithmetic.h"
#include "prove/vector_walk.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

#include <set>

namespace footrace::prove {

struct Joins::Handles {
  std::map<LocationId, std::set<Spawn>> spawns;  // that write the location
  std::set<LocationId> spoiled;                  // something else writes it too
  std::map<OriginId, std::set<Spawn>> creations; // of each thread
};

namespace {

bool is_spawn(Role role) { return role == Role::Spawn || role == Role::SpawnState; }

bool has_role(const PointsTo& pointers, InstanceId instance, const llvm::CallBase* call,
              bool (*wanted)(Role)) {
  const LibraryFunction* function = pointers.certain_library_callee(instance, call);
  return function && wanted(function->role);
}

// A store of zero only says that there is no thread.
bool stores_zero(const llvm::Instruction& inst) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
    const auto* value = llvm::dyn_cast<llvm::Constant>(store->getValueOperand());
    return value && value->isNullValue();
  }
  return false;
}

bool runs_in_every_iteration(const llvm::Instruction* inst, const llvm::Loop& loop,
                             const llvm::DominatorTree& dominators) {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  return latch && dominators.dominates(inst->getParent(), latch);
}

// The counters may have different types.
bool run_equally_often(const llvm::Loop& a, const llvm::Loop& b, llvm::ScalarEvolution& evolution) {
  const llvm::SCEV *one = evolution.getBackedgeTakenCount(&a), *two = evolution.getBackedgeTakenCount(&b);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(one) || llvm::isa<llvm::SCEVCouldNotCompute>(two)) return false;
  llvm::Type* wide = evolution.getWiderType(one->getType(), two->getType());
  return evolution.getNoopOrZeroExtend(one, wide) == evolution.getNoopOrZeroExtend(two, wide);
}

} // namespace

Joins::Joins(const PointsTo& pointers, const Accesses& accesses, const Executions& executions)
    : pointers_(pointers), executions_(executions) {
  Handles handles;
  auto spoil = [&](LocationId at, std::uint64_t size) {
    const Location& first = pointers.memory().at(at);
    for (auto [offset, field] : pointers.memory()[first.object].fields)
      if (pointers.memory()[first.object].layout.may_overlap(first.offset, size, offset, 8))
        handles.spoiled.insert(pointers.memory().find(field));
  };
  for (const Access& access : accesses.all()) {
    if (access.kind != AccessKind::Write) continue;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(access.inst);
    bool is_creation = call && access.pointer == call->getArgOperand(0) &&
                       has_role(pointers, access.instance, call, is_spawn);
    for (LocationId location : accesses.locations(access)) {
      if (is_creation)
        handles.spawns[location].insert({access.instance, call});
      else if (!stores_zero(*access.inst) &&
               !(call && has_role(pointers, access.instance, call,
                                  [](Role role) { return role == Role::JoinObject; })))
        spoil(location, access.size);
    }
  }
  for (LocationId location : pointers.known_to_unknown_code()) spoil(location, unbounded);
  for (InstanceId creator = 0; creator < pointers.instances().size(); creator++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers.instances()[creator].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
        for (InstanceId entry : pointers.spawned(creator, call))
          handles.creations[pointers.origin_of(entry)].insert({creator, call});
  ThreadOwners owners(pointers);
  for (InstanceId instance = 0; instance < pointers.instances().size(); instance++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers.instances()[instance].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) {
        examine(instance, *call, handles);
        examine_value(instance, *call, owners, handles);
        examine_walk(instance, *call, owners, handles);
        examine_destructor(instance, *call, owners, handles);
      }
}

void Joins::examine(InstanceId instance, const llvm::CallBase& join, const Handles& handles) {
  const llvm::Value* handle = nullptr; // where the handle is kept
  const LibraryFunction* function = pointers_.certain_library_callee(instance, &join);
  if (function && function->role == Role::JoinObject) handle = join.getArgOperand(0);
  if (function && function->role == Role::Join)
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(join.getArgOperand(0)))
      handle = load->getPointerOperand();
  if (!handle) return;
  const LocationSet& kept = pointers_.points_to(handle, instance);
  if (kept.count() != 1) return;
  auto location = static_cast<LocationId>(kept.find_first());
  auto spawns = handles.spawns.find(location);
  if (spawns == handles.spawns.end() || spawns->second.size() != 1 || handles.spoiled.contains(location))
    return;
  const Spawn& spawn = *spawns->second.begin();
  llvm::SmallVector<OriginId, 1> origins = origins_of(spawn, handles);
  const llvm::DataLayout& data = pointers_.module().getDataLayout();
  bool is_same_handle = executions_.is_single_location(location) ||
                        address_of(handle, data) == address_of(spawn.site->getArgOperand(0), data);
  bool is_array = pointers_.memory()[pointers_.memory().object_of(location)].layout.range_at(
                      pointers_.memory().at(location).offset) != nullptr;
  if (!is_array && is_same_handle && must_end_all(spawn, instance, join)) {
    by_call_[{instance, &join}] = origins;
  } else if (const llvm::BasicBlock* exit = joining_loop_exit(spawn, instance, join, handle)) {
    auto& ended = by_block_[{instance, exit}];
    ended.append(origins.begin(), origins.end());
  }
}

void Joins::examine_value(InstanceId instance, const llvm::CallBase& join, const ThreadOwners& owners,
                          const Handles& handles) {
  if (!ended_by(instance, &join).empty() || join.arg_size() == 0) return;
  const LocationSet& argument = pointers_.points_to(join.getArgOperand(0), instance);
  const LibraryFunction* function = pointers_.certain_library_callee(instance, &join);
  const llvm::Function* callee = join.getCalledFunction();
  std::optional<std::uint64_t> destroyed = callee ? handle_in_destroyed(callee->getName()) : std::nullopt;
  LocationSet values;
  if (function && function->role == Role::Join) values = argument;
  if (function && function->role == Role::JoinObject)
    values = owners.kept_at(owners.fields_behind(argument, 0));
  if (destroyed) {
    const LocationSet places = owners.fields_behind(argument, *destroyed);
    if (places.count() != 1) return;
    auto place = static_cast<LocationId>(places.find_first());
    values = owners.kept_at(places);
    // Otherwise what was destroyed may have been empty.
    if (!executions_.is_single_location(place) || !owners.stays_at(values, place)) return;
  }
  if (std::optional<Spawn> spawn = owners.only_thread(values, executions_))
    by_call_[{instance, &join}] = origins_of(*spawn, handles);
}

// A loop that joins every thread of a vector.
void Joins::examine_walk(InstanceId instance, const llvm::CallBase& join, const ThreadOwners& owners,
                         const Handles& handles) {
  const LibraryFunction* function = pointers_.certain_library_callee(instance, &join);
  if (!function || function->role != Role::JoinObject) return;
  std::optional<VectorWalk> walk = walk_over_vector(join);
  if (!walk) return;
  for (const Spawn& spawn : owners.kept_in(instance, walk->vector, executions_))
    for (OriginId origin : origins_of(spawn, handles)) by_block_[{instance, walk->exit}].push_back(origin);
}

void Joins::examine_destructor(InstanceId instance, const llvm::CallBase& call, const ThreadOwners& owners,
                               const Handles& handles) {
  for (const Spawn& spawn : owners.joined_by(instance, call, executions_))
    for (OriginId origin : origins_of(spawn, handles)) by_call_[{instance, &call}].push_back(origin);
}

// Threads that only this site creates.
llvm::SmallVector<OriginId, 1> Joins::origins_of(const Spawn& spawn, const Handles& handles) const {
  llvm::SmallVector<OriginId, 1> origins;
  for (InstanceId entry : pointers_.spawned(spawn.creator, spawn.site)) {
    OriginId origin = pointers_.origin_of(entry);
    if (handles.creations.at(origin).size() == 1) origins.push_back(origin);
  }
  return origins;
}

bool Joins::must_end_all(const Spawn& spawn, InstanceId instance, const llvm::CallBase& join) const {
  if (!executions_.may_run_again(spawn.creator, spawn.site)) return true;
  if (spawn.creator != instance || may_reach(spawn.site, spawn.site, &join)) return false;
  if (!executions_.may_run_again(instance)) return true;
  // The function may run again: it must not be left with the thread running.
  for (const llvm::Instruction& inst : llvm::instructions(*spawn.site->getFunction()))
    if (inst.isTerminator() && inst.getNumSuccessors() == 0 && may_reach(spawn.site, &inst, &join))
      return false;
  return true;
}

const llvm::BasicBlock* Joins::joining_loop_exit(const Spawn& spawn, InstanceId instance,
                                                 const llvm::CallBase& join,
                                                 const llvm::Value* handle) const {
  if (spawn.creator != instance || executions_.may_run_again(instance)) return nullptr;
  LoopArithmetic facts(const_cast<llvm::Function&>(*join.getFunction()));
  const llvm::Loop* creating = facts.loops.getLoopFor(spawn.site->getParent());
  const llvm::Loop* joining = facts.loops.getLoopFor(join.getParent());
  if (!creating || !joining || creating == joining || creating->getParentLoop() || joining->getParentLoop())
    return nullptr;
  const llvm::BasicBlock* exit = joining->getExitBlock();
  if (!exit || !joining->getExitingBlock() || !runs_in_every_iteration(&join, *joining, facts.dominators))
    return nullptr;
  llvm::ScalarEvolution& evolution = facts.evolution;
  const auto* created = llvm::dyn_cast<llvm::SCEVAddRecExpr>(
      evolution.getSCEV(const_cast<llvm::Value*>(spawn.site->getArgOperand(0))));
  const auto* joined =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(const_cast<llvm::Value*>(handle)));
  if (!created || !joined || created->getLoop() != creating || joined->getLoop() != joining) return nullptr;
  if (!run_equally_often(*creating, *joining, evolution)) return nullptr;
  if (created->getStart() != joined->getStart() ||
      created->getStepRecurrence(evolution) != joined->getStepRecurrence(evolution))
    return nullptr;
  return exit;
}

llvm::ArrayRef<OriginId> Joins::ended_by(InstanceId instance, const llvm::CallBase* join) const {
  auto found = by_call_.find({instance, join});
  return found == by_call_.end() ? llvm::ArrayRef<OriginId>() : llvm::ArrayRef<OriginId>(found->second);
}

llvm::ArrayRef<OriginId> Joins::ended_before(InstanceId instance, const llvm::BasicBlock* block) const {
  auto found = by_block_.find({instance, block});
  return found == by_block_.end() ? llvm::ArrayRef<OriginId>() : llvm::ArrayRef<OriginId>(found->second);
}

} // namespace footrace::prove
