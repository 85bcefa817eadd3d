#include "prove/local_thread.h"

#include "prove/local_lock.h"
#include "prove/loop_arithmetic.h"

#include "llvm/IR/Instructions.h"

namespace footrace::prove {

// What the thread's first function is given, whatever creates the thread: pthread_create, std::thread, unknown code.
std::set<ObjectId> LocalThread::argument_objects(OriginId origin) const {
  std::set<ObjectId> objects;
  const llvm::Function* entry = pointers_.contexts().origin(origin).entry;
  for (InstanceId id = 0; id < pointers_.instances().size(); id++) {
    const Instance& instance = pointers_.instances()[id];
    const Context& context = pointers_.contexts()[instance.context];
    if (context.origin != origin || !context.calls.empty() || instance.function != entry) continue;
    for (const llvm::Argument& argument : entry->args())
      for (LocationId location : pointers_.points_to(&argument, id))
        objects.insert(pointers_.memory().object_of(location));
  }
  return objects;
}

// The argument is &array[i] of a counted loop that runs once: the distance between two threads' arguments.
std::optional<std::uint64_t> LocalThread::own_element_size(OriginId origin) const {
  llvm::ArrayRef<Spawn> creations = threads_.creations(origin);
  if (creations.size() != 1 || threads_.may_be_created_again(creations[0])) return std::nullopt;
  const llvm::Value* argument = argument_of(pointers_, creations[0]);
  if (!argument || !argument->getType()->isPointerTy()) return std::nullopt;
  LoopArithmetic facts(const_cast<llvm::Function&>(*creations[0].site->getFunction()));
  const llvm::Loop* loop = facts.loops.getLoopFor(creations[0].site->getParent());
  if (!loop || loop->getParentLoop()) return std::nullopt;
  const auto* element =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(facts.evolution.getSCEV(const_cast<llvm::Value*>(argument)));
  if (!element || element->getLoop() != loop || !element->isAffine()) return std::nullopt;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(element->getStepRecurrence(facts.evolution));
  if (!step || step->getAPInt().isZero()) return std::nullopt;
  return step->getAPInt().abs().getZExtValue();
}

Derived LocalThread::derivation(const Access& access) const {
  const Origin& origin = pointers_.contexts().origin(pointers_.origin_of(access.instance));
  auto is_argument = [&](InstanceId instance, const llvm::Value* value) {
    const auto* parameter = llvm::dyn_cast<llvm::Argument>(value);
    return parameter && parameter->getArgNo() == 0 &&
           pointers_.instances()[instance].function == origin.entry &&
           pointers_.contexts()[pointers_.instances()[instance].context].calls.empty();
  };
  return paths_.derivation(access.instance, access.pointer, is_argument);
}

bool LocalThread::is_within_element(const Access& access, std::uint64_t size) const {
  Address address = address_of(access.pointer, pointers_.module().getDataLayout());
  const auto* parameter = llvm::dyn_cast_or_null<llvm::Argument>(address.root);
  const Instance& instance = pointers_.instances()[access.instance];
  bool is_entry =
      instance.function == pointers_.contexts().origin(pointers_.origin_of(access.instance)).entry &&
      pointers_.contexts()[instance.context].calls.empty();
  return is_entry && parameter && parameter->getArgNo() == 0 && address.offset >= 0 && access.size <= size &&
         static_cast<std::uint64_t>(address.offset) + access.size <= size;
}

bool LocalThread::must_be_apart(const Access& a, const Access& b) const {
  OriginId one = pointers_.origin_of(a.instance), two = pointers_.origin_of(b.instance);
  if (one == main_origin || two == main_origin) return false;
  if (numbers_.must_be_apart(a, b)) return true;
  Derived first = derivation(a), second = derivation(b);
  if (first == Derived::No || first != second) return false;
  if (one == two && first == Derived::Directly)
    if (std::optional<std::uint64_t> size = own_element_size(one))
      if (is_within_element(a, *size) && is_within_element(b, *size)) return true;
  std::set<ObjectId> owners = argument_objects(one);
  if (one == two) {
    if (!threads_.is_given_own_object(one)) return false;
  } else {
    for (ObjectId object : argument_objects(two))
      if (!owners.insert(object).second) return false; // both may be given the same
  }
  if (first == Derived::Directly) return true;
  std::set<ObjectId> common = common_objects(pointers_, accesses_, a, b);
  return llvm::all_of(common,
                      [&](ObjectId object) { return effects_.has_disjoint_reachability(object, owners); });
}

} // namespace footrace::prove
