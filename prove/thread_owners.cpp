#include "prove/thread_owners.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace footrace::prove {
namespace {

LocationSet only(LocationId location) {
  LocationSet set;
  set.set(location);
  return set;
}

} // namespace

bool is_destructor_of_threads(llvm::StringRef name) {
  return name == "_ZNSt6vectorISt6threadSaIS0_EED2Ev" || name == "_ZNSt6vectorISt7jthreadSaIS0_EED2Ev";
}

std::optional<std::uint64_t> handle_in_destroyed(llvm::StringRef name) {
  constexpr std::uint64_t after_stop_source = 8;
  if (name == "_ZNSt6threadD2Ev") return 0;
  if (name == "_ZNSt7jthreadD2Ev") return after_stop_source;
  return std::nullopt;
}

ThreadOwners::ThreadOwners(const PointsTo& pointers) : pointers_(pointers) {
  const Memory& memory = pointers.memory();
  for (ObjectId id = 0; id < memory.object_count(); id++)
    for (ObjectId target : pointees({id})) holders_[target].insert(id);
  for (ObjectId id = 0; id < memory.object_count(); id++)
    for (auto [offset, field] : memory[id].fields)
      for (LocationId kept : pointers.solver().points_to(memory.at(memory.find(field)).content))
        if (memory[memory.object_of(kept)].kind == ObjectKind::Thread)
          places_[memory.object_of(kept)].set(memory.find(field));
  find_detached();
}

void ThreadOwners::find_detached() {
  const Memory& memory = pointers_.memory();
  auto detach = [&](const LocationSet& handles) {
    for (LocationId handle : handles) detached_.insert(memory.object_of(handle));
  };
  detach(pointers_.known_to_unknown_code());
  for (InstanceId id = 0; id < pointers_.instances().size(); id++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[id].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
        for (const LibraryFunction* function : pointers_.library_callees(id, call)) {
          if (function->role != Role::Detach && function->role != Role::DetachObject) continue;
          const LocationSet& argument = pointers_.points_to(call->getArgOperand(0), id);
          if (function->role == Role::Detach) detach(argument);
          for (LocationId handle : argument) detach(pointers_.solver().points_to(memory.at(handle).content));
        }
}

ThreadOwners::Objects ThreadOwners::pointees(const Objects& objects) const {
  const Memory& memory = pointers_.memory();
  Objects found;
  for (ObjectId object : objects)
    for (auto [offset, field] : memory[object].fields)
      for (LocationId target : pointers_.solver().points_to(memory.at(field).content))
        found.insert(memory.object_of(target));
  return found;
}

bool ThreadOwners::is_held_only_by(ObjectId object, const Objects& holders) const {
  auto found = holders_.find(object);
  return found != holders_.end() &&
         llvm::all_of(found->second, [&](ObjectId holder) { return holders.contains(holder); });
}

// The vector is in a local variable of the function that destroys it or joins its threads, or part of an object that exists
// once, in the main thread: then no other vector can be meant, and nobody else fills it.
std::optional<LocationId> ThreadOwners::known_vector(InstanceId instance, const llvm::Value* vector,
                                                     const Executions& executions) const {
  const LocationSet& locations = pointers_.points_to(vector, instance);
  if (locations.count() != 1) return std::nullopt;
  auto location = static_cast<LocationId>(locations.find_first());
  const Object& object = pointers_.memory()[pointers_.memory().object_of(location)];
  bool is_own =
      object.kind == ObjectKind::Stack && object.context == pointers_.instances()[instance].context &&
      llvm::cast<llvm::Instruction>(object.site)->getFunction() == pointers_.instances()[instance].function;
  bool is_only = pointers_.origin_of(instance) == main_origin && executions.is_single_location(location);
  return is_own || is_only ? std::optional(location) : std::nullopt;
}

// What the three pointers of a vector point to; nothing if anything else may point there.
std::optional<ThreadOwners::Objects> ThreadOwners::buffers_of(LocationId vector) const {
  const Memory& memory = pointers_.memory();
  LocationSet own;
  for (std::uint64_t pointer = 0; pointer < 3; pointer++)
    own |= fields_behind(only(vector), pointer * sizeof(void*));
  Objects buffers;
  for (LocationId target : kept_at(own)) buffers.insert(memory.object_of(target));
  const ObjectId holder = memory.object_of(vector);
  for (ObjectId buffer : buffers)
    if (memory[buffer].kind != ObjectKind::Heap || !is_held_only_by(buffer, {holder})) return std::nullopt;
  for (auto [offset, field] : memory[holder].fields)
    if (!own.test(memory.find(field)))
      for (LocationId target : kept_at(only(memory.find(field))))
        if (buffers.contains(memory.object_of(target))) return std::nullopt;
  return buffers;
}

std::optional<Spawn> ThreadOwners::spawn_of(ObjectId thread) const {
  const Object& object = pointers_.memory()[thread];
  const auto* site = llvm::cast<llvm::CallBase>(object.site);
  for (InstanceId id = 0; id < pointers_.instances().size(); id++)
    if (pointers_.instances()[id].function == site->getFunction() &&
        pointers_.instances()[id].context == object.context)
      return Spawn{id, site};
  return std::nullopt;
}

std::optional<Spawn> ThreadOwners::only_thread(const LocationSet& handles,
                                               const Executions& executions) const {
  if (handles.count() != 1) return std::nullopt;
  ObjectId thread = pointers_.memory().object_of(static_cast<LocationId>(handles.find_first()));
  if (pointers_.memory()[thread].kind != ObjectKind::Thread) return std::nullopt;
  std::optional<Spawn> spawn = spawn_of(thread);
  return spawn && !executions.may_run_again(spawn->creator, spawn->site) ? spawn : std::nullopt;
}

LocationSet ThreadOwners::fields_behind(const LocationSet& pointer, std::uint64_t offset) const {
  const Memory& memory = pointers_.memory();
  LocationSet found;
  for (LocationId id : pointer) {
    const Location& base = memory.at(id);
    const Object& object = memory[base.object];
    auto field = object.fields.find(object.layout.canonical(base.offset + offset));
    if (field != object.fields.end()) found.set(memory.find(field->second));
  }
  return found;
}

LocationSet ThreadOwners::kept_at(const LocationSet& fields) const {
  LocationSet kept;
  for (LocationId field : fields) kept |= pointers_.solver().points_to(pointers_.memory().at(field).content);
  return kept;
}

bool ThreadOwners::stays_at(const LocationSet& handles, LocationId place) const {
  for (LocationId handle : handles) {
    ObjectId thread = pointers_.memory().object_of(handle);
    auto places = places_.find(thread);
    if (detached_.contains(thread) || places == places_.end() || places->second.count() != 1 ||
        !places->second.test(place))
      return false;
  }
  return true;
}

bool ThreadOwners::may_call_itself(InstanceId start) const {
  std::set<InstanceId> seen;
  std::vector<InstanceId> work{start};
  while (!work.empty()) {
    InstanceId id = work.back();
    work.pop_back();
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[id].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
        for (InstanceId callee : pointers_.callees(id, call)) {
          if (callee == start) return true;
          if (seen.insert(callee).second) work.push_back(callee);
        }
  }
  return false;
}

std::vector<Spawn> ThreadOwners::joined_by(InstanceId instance, const llvm::CallBase& destructor,
                                           const Executions& executions) const {
  const llvm::Function* callee = destructor.getCalledFunction();
  if (!callee || !is_destructor_of_threads(callee->getName())) return {};
  return kept_in(instance, destructor.getArgOperand(0), executions);
}

std::vector<Spawn> ThreadOwners::kept_in(InstanceId instance, const llvm::Value* pointer,
                                         const Executions& executions) const {
  std::optional<LocationId> vector = known_vector(instance, pointer, executions);
  if (!vector || may_call_itself(instance)) return {};
  const std::optional<Objects> buffers = buffers_of(*vector);
  if (!buffers) return {};
  std::vector<Spawn> joined;
  for (ObjectId thread : pointees(*buffers)) {
    if (pointers_.memory()[thread].kind != ObjectKind::Thread || detached_.contains(thread)) continue;
    std::optional<Spawn> spawn = spawn_of(thread);
    bool is_own = spawn && pointers_.origin_of(spawn->creator) == pointers_.origin_of(instance);
    if (is_own && is_held_only_by(thread, *buffers)) joined.push_back(*spawn);
  }
  return joined;
}

} // namespace footrace::prove
