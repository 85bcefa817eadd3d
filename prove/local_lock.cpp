#include "prove/local_lock.h"

#include "llvm/IR/Module.h"

namespace footrace::prove {

// Not a name for memory of several allocations.
static bool is_allocated_alone(const Object& object) {
  return !object.is_pooled && (object.kind == ObjectKind::Global || object.kind == ObjectKind::Stack ||
                               object.kind == ObjectKind::Heap);
}

bool LocalLock::must_exclude(const Access& a, const Access& b) const {
  LockSet one = locks_.held(a.instance, a.inst), two = locks_.held(b.instance, b.inst);
  for (const HeldLock& a_lock : one)
    for (const HeldLock& b_lock : two) {
      if (a_lock.is_shared && b_lock.is_shared) continue;
      if (must_be_at_same_distance(a, a_lock, b, b_lock) || must_be_at_same_index(a, a_lock, b, b_lock) ||
          must_be_owned_apart(a, a_lock, b, b_lock))
        return true;
    }
  return false;
}

// Fine-grained locking: each lock lies a fixed number of bytes from what it guards, so equal data has equal locks.
// Accesses of one size are taken to be equal or disjoint, as aligned ones are.
bool LocalLock::must_be_at_same_distance(const Access& a, const HeldLock& a_lock, const Access& b,
                                         const HeldLock& b_lock) const {
  const llvm::DataLayout& data = pointers_.module().getDataLayout();
  if (a.size != b.size || a.size == unbounded) return false;
  Address one = address_of(a.pointer, data, equalities_, a.instance);
  Address two = address_of(b.pointer, data, equalities_, b.instance);
  if (!one.root || one.root != a_lock.address.root || !two.root || two.root != b_lock.address.root)
    return false;
  return a_lock.address.offset - one.offset == b_lock.address.offset - two.offset;
}

// Arrays side by side: each lock has the index of what it guards, plus a constant, so equal data has equal locks.
bool LocalLock::must_be_at_same_index(const Access& a, const HeldLock& a_lock, const Access& b,
                                      const HeldLock& b_lock) const {
  if (a.size != b.size || a.size == unbounded) return false;
  const std::optional<Element> a_data = data_element(a), a_guard = lock_element(a, a_lock);
  const std::optional<Element> b_data = data_element(b), b_guard = lock_element(b, b_lock);
  if (!a_data || !a_guard || !b_data || !b_guard) return false;
  const bool are_variables = a_data->root == b_data->root && is_shared_variable(a_data->root) &&
                             a_guard->root == b_guard->root && is_shared_variable(a_guard->root);
  const bool are_members = a_data->root && a_data->root == a_guard->root && b_data->root &&
                           b_data->root == b_guard->root &&
                           have_same_place({&pointers_.points_to(a_data->root, a.instance),
                                            &pointers_.points_to(b_data->root, b.instance)},
                                           true);
  return (are_variables || are_members) && must_correspond(*a_data, *a_guard, *b_data, *b_guard, a.size);
}

std::optional<Element> LocalLock::data_element(const Access& access) const {
  const llvm::DataLayout& data = pointers_.module().getDataLayout();
  return element_of(address_of(access.pointer, data, equalities_, access.instance), data, equalities_,
                    access.instance);
}

std::optional<Element> LocalLock::lock_element(const Access& access, const HeldLock& lock) const {
  return element_of(lock.address, pointers_.module().getDataLayout(), equalities_, access.instance);
}

// Medium-grained locking: what is accessed was reached from the object that holds the lock, and is reachable from at
// most one such object. Two locks of one object are the same lock, since they are at one place in it.
bool LocalLock::must_be_owned_apart(const Access& a, const HeldLock& a_lock, const Access& b,
                                    const HeldLock& b_lock) const {
  if (!have_same_place({&a_lock.locations, &b_lock.locations}) || !is_reached_from(a, a_lock) ||
      !is_reached_from(b, b_lock))
    return false;
  std::set<ObjectId> owners;
  for (const HeldLock* lock : {&a_lock, &b_lock})
    for (LocationId location : lock->locations) owners.insert(pointers_.memory().object_of(location));
  std::set<ObjectId> common = common_objects(pointers_, accesses_, a, b);
  return llvm::all_of(common,
                      [&](ObjectId object) { return effects_.has_disjoint_reachability(object, owners); });
}

bool LocalLock::have_same_place(std::initializer_list<const LocationSet*> pointers,
                                bool in_one_object) const {
  std::optional<std::uint64_t> place;
  for (const LocationSet* locations : pointers)
    for (LocationId id : *locations) {
      const Location& location = pointers_.memory().at(id);
      const Object& object = pointers_.memory()[location.object];
      if (object.layout.range_at(location.offset) || (in_one_object && !is_allocated_alone(object)))
        return false;
      if (place && *place != location.offset) return false;
      place = location.offset;
    }
  return place.has_value();
}

bool LocalLock::is_reached_from(const Access& access, const HeldLock& lock) const {
  if (!lock.address.root) return false;
  auto is_owner = [&](InstanceId instance, const llvm::Value* value) {
    return instance == access.instance && value == lock.address.root;
  };
  return paths_.derivation(access.instance, access.pointer, is_owner) == Derived::ByDereference;
}

std::set<ObjectId> common_objects(const PointsTo& pointers, const Accesses& accesses, const Access& a,
                                  const Access& b) {
  const Memory& memory = pointers.memory();
  std::set<ObjectId> first, common;
  for (LocationId location : accesses.locations(a)) first.insert(memory.object_of(location));
  for (LocationId location : accesses.locations(b))
    if (ObjectId object = memory.object_of(location);
        first.contains(object) && may_be_written(memory[object]))
      common.insert(object);
  return common;
}

} // namespace footrace::prove
