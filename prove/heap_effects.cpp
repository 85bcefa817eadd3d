#include "prove/heap_effects.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {

using effects::Effect;
using effects::Iteration;
using effects::LoopId;
using effects::LoopVector;
using effects::MaybeType;
using effects::Type;

// Beyond this the closure takes longer than it is worth; then nothing is disjoint.
static constexpr std::size_t max_effects = 5000;

HeapEffects::HeapEffects(const PointsTo& pointers, const Executions& executions, const Equalities& equalities,
                         Shapes& shapes)
    : pointers_(pointers), executions_(executions), equalities_(equalities), shapes_(shapes) {
  for (InstanceId id = 0; id < pointers.instances().size(); id++) collect(id);
  cover_points_to_graph();
  if (effects_.size() <= max_effects) closed_ = effects::closure(effects_);
}

LoopId HeapEffects::loop_id(InstanceId instance, const llvm::Loop* loop) {
  return loop_ids_.try_emplace({instance, loop}, static_cast<LoopId>(loop_ids_.size())).first->second;
}

// W: the loops around the instruction, and the function itself if it may run again.
std::set<LoopId> HeapEffects::active_loops(InstanceId instance, const llvm::Instruction& inst) {
  std::set<LoopId> loops;
  for (const llvm::Loop* loop = shapes_.loops(*inst.getFunction()).getLoopFor(inst.getParent()); loop;
       loop = loop->getParentLoop())
    loops.insert(loop_id(instance, loop));
  if (executions_.may_run_again(instance)) loops.insert(loop_id(instance, nullptr));
  return loops;
}

static LoopVector all_ones(const std::set<LoopId>& loops) {
  LoopVector vector;
  for (LoopId loop : loops) vector.set(loop, Iteration::One);
  return vector;
}

MaybeType HeapEffects::type_of(InstanceId instance, const llvm::Instruction& inst, const Types& types) {
  const Memory& memory = pointers_.memory();
  auto made_here = [&]() -> MaybeType {
    const LocationSet& made = pointers_.points_to(&inst, instance);
    if (made.count() != 1) return effects::top_type();
    ObjectId object = memory.object_of(static_cast<LocationId>(made.find_first()));
    if (memory[object].site != &inst) return effects::top_type();
    std::set<LoopId> active = active_loops(instance, inst);
    return effects::type_of_new(active, all_ones(active), object);
  };
  if (llvm::isa<llvm::AllocaInst>(inst)) return made_here();
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) {
    const LibraryFunction* function = library_function(*call);
    return function && function->role == Role::Allocate ? made_here() : MaybeType(effects::top_type());
  }
  if (llvm::isa<llvm::GetElementPtrInst, llvm::BitCastInst>(inst))
    return type_of_use(instance, inst.getOperand(0), inst.getParent(), types);
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&inst)) {
    const llvm::Loop* loop = shapes_.loops(*inst.getFunction()).getLoopFor(inst.getParent());
    bool is_header = loop && loop->getHeader() == inst.getParent();
    MaybeType joined;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
      MaybeType incoming = type_of_use(instance, phi->getIncomingValue(i), phi->getIncomingBlock(i), types);
      if (is_header && loop->contains(phi->getIncomingBlock(i)))
        incoming = effects::loopback(incoming, loop_id(instance, loop));
      joined = effects::join(joined, incoming);
    }
    return joined;
  }
  if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&inst))
    return effects::join(type_of_use(instance, choice->getTrueValue(), inst.getParent(), types),
                         type_of_use(instance, choice->getFalseValue(), inst.getParent(), types));
  if (llvm::isa<llvm::LoadInst>(inst)) {
    const llvm::Value* same = equalities_.representative(instance, &inst);
    if (same != &inst) return type_of_use(instance, same, inst.getParent(), types);
  }
  return effects::top_type();
}

// A value from before a loop is from no iteration of it that runs now.
MaybeType HeapEffects::type_of_use(InstanceId instance, const llvm::Value* value, const llvm::BasicBlock* use,
                                   const Types& types) {
  if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(value)) return std::nullopt;
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!inst) return effects::top_type();
  auto known = types.find(value);
  if (known == types.end()) return std::nullopt;
  MaybeType type = known->second;
  for (const llvm::Loop* loop = shapes_.loops(*inst->getFunction()).getLoopFor(use);
       loop && !loop->contains(inst->getParent()); loop = loop->getParentLoop())
    type = effects::loopback(type, loop_id(instance, loop));
  return type;
}

HeapEffects::Types HeapEffects::type_values(InstanceId instance) {
  Types types;
  bool changed = true;
  while (changed) {
    changed = false;
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[instance].function)) {
      if (!may_hold_pointer(inst.getType())) continue;
      MaybeType type = effects::join(types[&inst], type_of(instance, inst, types));
      if (type == types[&inst]) continue;
      types[&inst] = type;
      changed = true;
    }
  }
  return types;
}

Type HeapEffects::any_iteration(ObjectId id) {
  const Object& object = pointers_.memory()[id];
  LoopVector loops;
  if (llvm::is_contained({ObjectKind::Library, ObjectKind::Traffic, ObjectKind::Varargs, ObjectKind::Pool},
                         object.kind))
    loops = LoopVector(Iteration::Top);
  if ((object.kind == ObjectKind::Heap || object.kind == ObjectKind::Stack) && !executions_.is_single(id)) {
    const auto* site = llvm::cast<llvm::Instruction>(object.site);
    for (InstanceId instance = 0; instance < pointers_.instances().size(); instance++)
      if (pointers_.instances()[instance].function == site->getFunction() &&
          pointers_.instances()[instance].context == object.context)
        for (LoopId loop : active_loops(instance, *site)) loops.set(loop, Iteration::Top);
  }
  return {loops, id};
}

std::vector<Type> HeapEffects::possible_types(InstanceId instance, const llvm::Value* value,
                                              const MaybeType& type) {
  if (!type) return {};
  if (type->site) return {*type};
  std::set<ObjectId> objects;
  for (LocationId location : pointers_.points_to(value, instance))
    objects.insert(pointers_.memory().object_of(location));
  std::vector<Type> possible;
  for (ObjectId object : objects) possible.push_back(any_iteration(object));
  return possible;
}

void HeapEffects::store(InstanceId instance, const llvm::Value* pointer, const llvm::Value* value,
                        const llvm::BasicBlock* block, const Types& types) {
  if (!may_hold_pointer(value->getType()) || pointers_.points_to(value, instance).empty()) return;
  MaybeType owner = type_of_use(instance, pointer, block, types),
            owned = type_of_use(instance, value, block, types);
  for (const Type& from : possible_types(instance, pointer, owner))
    for (const Type& to : possible_types(instance, value, owned))
      effects_.insert(*effects::effect_of_store(from, to));
}

void HeapEffects::collect(InstanceId instance) {
  Types types = type_values(instance);
  const Memory& memory = pointers_.memory();
  auto copy = [&](const llvm::Value* to, const llvm::Value* from) {
    for (LocationId source : pointers_.points_to(from, instance))
      for (auto [offset, field] : memory[memory.object_of(source)].fields)
        for (LocationId content : pointers_.solver().points_to(memory.at(field).content))
          for (LocationId target : pointers_.points_to(to, instance))
            effects_.insert(
                {any_iteration(memory.object_of(target)), any_iteration(memory.object_of(content))});
  };
  for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[instance].function)) {
    const llvm::BasicBlock* block = inst.getParent();
    if (const auto* simple = llvm::dyn_cast<llvm::StoreInst>(&inst))
      store(instance, simple->getPointerOperand(), simple->getValueOperand(), block, types);
    else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst))
      store(instance, update->getPointerOperand(), update->getValOperand(), block, types);
    else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst))
      store(instance, exchange->getPointerOperand(), exchange->getNewValOperand(), block, types);
    else if (const auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&inst))
      copy(transfer->getRawDest(), transfer->getRawSource());
    else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
      for (const LibraryFunction* function : pointers_.library_callees(instance, call)) {
        for (CopiedArguments copied : copied_arguments(function->role))
          copy(call->getArgOperand(copied.to), call->getArgOperand(copied.from));
        if (function->role == Role::Reallocate) copy(call, call->getArgOperand(0));
      }
  }
}

// Whatever else made one object point to another: initialisers, results of threads, library functions.
void HeapEffects::cover_points_to_graph() {
  const Memory& memory = pointers_.memory();
  std::set<std::pair<ObjectId, ObjectId>> covered;
  for (const Effect& effect : effects_) covered.insert({*effect.owner.site, *effect.owned.site});
  for (ObjectId id = 0; id < memory.object_count(); id++)
    for (auto [offset, field] : memory[id].fields)
      for (LocationId content : pointers_.solver().points_to(memory.at(field).content)) {
        ObjectId target = memory.object_of(content);
        if (is_function(memory[target].kind)) continue;
        if (covered.insert({id, target}).second) effects_.insert({any_iteration(id), any_iteration(target)});
      }
}

bool HeapEffects::has_disjoint_reachability(ObjectId object, const std::set<ObjectId>& owners) const {
  auto is_pool = [&](ObjectId id) { return pointers_.memory()[id].kind == ObjectKind::Pool; };
  if (is_pool(object) || llvm::any_of(owners, is_pool)) return false;
  return closed_ && effects::has_disjoint_reachability(*closed_, object, owners);
}

} // namespace footrace::prove
