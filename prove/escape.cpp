#include "prove/escape.h"

#include "prove/addresses.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {
namespace {

constexpr unsigned max_depth = 5; // of calls that are followed from an access to its object's allocation

bool is_allocation(const llvm::Value* value) {
  if (llvm::isa<llvm::AllocaInst>(value)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(value);
  const LibraryFunction* function = call ? library_function(*call) : nullptr;
  return function && function->role == Role::Allocate;
}

// Whether the use may let others know the pointer. Library functions only look at what they are given, except those
// that start threads, keep data or hand pointers back.
bool may_publish(const llvm::Use& use) {
  const auto* inst = llvm::cast<llvm::Instruction>(use.getUser());
  if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(inst)) return false;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(inst)) return use.get() == store->getValueOperand();
  if (llvm::isa<llvm::MemIntrinsic, llvm::DbgInfoIntrinsic>(inst)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(inst)) {
    const LibraryFunction* function = library_function(*call);
    if (llvm::isa<llvm::IntrinsicInst>(call)) return true;
    if (!function || function->result == 'a') return true;
    bool hands_back = function->result >= '0' && function->result <= '3';
    if (hands_back && (!call->use_empty() || !library_state(function->name).empty())) return true;
    switch (function->role) {
    case Role::None:
    case Role::Send: // what the bytes point to was stored there before
    case Role::Receive:
    case Role::Scan:
    case Role::Free:
    case Role::Lock:
    case Role::TryLock:
    case Role::LockShared:
    case Role::TryLockShared:
    case Role::Unlock:
      return false;
    default:
      return true;
    }
  }
  return true;
}

// Every instruction that may publish the pointer or something derived from it.
llvm::SmallVector<const llvm::Instruction*> publications(const llvm::Value* allocation) {
  llvm::SmallVector<const llvm::Instruction*> found;
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  llvm::SmallVector<const llvm::Value*> work{allocation};
  while (!work.empty()) {
    const llvm::Value* value = work.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const llvm::Use& use : value->uses()) {
      if (llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::BitCastInst>(
              use.getUser()))
        work.push_back(use.getUser());
      else if (may_publish(use))
        found.push_back(llvm::cast<llvm::Instruction>(use.getUser()));
    }
  }
  return found;
}

} // namespace

Escape::Escape(const PointsTo& pointers) : pointers_(pointers), callers_(pointers) {
  const Memory& memory = pointers.memory();
  escaped_.resize(static_cast<unsigned>(memory.object_count()));
  unordered_.resize(static_cast<unsigned>(memory.object_count()));
  for (ObjectId id = 0; id < memory.object_count(); id++)
    if (llvm::is_contained({ObjectKind::Global, ObjectKind::Library, ObjectKind::Traffic, ObjectKind::Pool},
                           memory[id].kind)) {
      escaped_.set(id);
      work_.push_back(id);
    }
  for (InstanceId id = 0; id < pointers.instances().size(); id++) {
    const Instance& instance = pointers.instances()[id];
    const Context& context = pointers.contexts()[instance.context];
    if (context.origin == main_origin || !context.calls.empty()) continue;
    for (const llvm::Argument& argument : instance.function->args()) reach(pointers.points_to(&argument, id));
  }
  reach(pointers.thread_results());
  while (!work_.empty()) {
    ObjectId id = work_.back();
    work_.pop_back();
    for (auto [offset, location] : memory[id].fields)
      reach(pointers.solver().points_to(memory.at(location).content));
  }
}

void Escape::reach(const LocationSet& roots) {
  for (LocationId location : roots) {
    ObjectId object = pointers_.memory().object_of(location);
    if (escaped_.test(object)) continue;
    escaped_.set(object);
    work_.push_back(object);
  }
}

bool Escape::add_unordered_publications(const LocationSet& locations) {
  const Memory& memory = pointers_.memory();
  bool changed = false;
  for (LocationId location : locations)
    for (auto [offset, field] : memory[memory.object_of(location)].fields)
      for (LocationId published : pointers_.solver().points_to(memory.at(field).content)) {
        ObjectId object = memory.object_of(published);
        changed |= !unordered_.test(object);
        unordered_.set(object);
      }
  return changed;
}

bool Escape::has_unordered_publication(const Access& access) const {
  for (LocationId location : pointers_.points_to(access.pointer, access.instance))
    if (unordered_.test(pointers_.memory().object_of(location))) return true;
  return false;
}

bool Escape::may_be_published(const Access& access) const {
  if (has_unordered_publication(access)) return true;
  if (access.kind == AccessKind::Allocation) return false; // new memory, every time
  return may_be_published(access.instance, access.pointer, access.inst, max_depth);
}

// `at` is the access, or a call that leads to it: what the callee does first is looked at in the callee.
bool Escape::may_be_published(InstanceId instance, const llvm::Value* pointer, const llvm::Instruction* at,
                              unsigned depth) const {
  const llvm::Value* root = address_of(pointer, pointers_.module().getDataLayout()).root;
  const auto* parameter = llvm::dyn_cast<llvm::Argument>(root);
  if (!is_allocation(root) && (!parameter || depth == 0)) return true;
  const auto* allocation = llvm::dyn_cast<llvm::Instruction>(root);
  for (const llvm::Instruction* publication : publications(root)) {
    if (publication == at && depth == max_depth) return true;
    if (may_reach(publication, at, allocation)) return true;
  }
  if (!parameter) return false;
  return callers_.of(instance).empty() || llvm::any_of(callers_.of(instance), [&](const Caller& caller) {
           return !passes_alone(caller, parameter->getArgNo()) ||
                  may_be_published(caller.instance, caller.site->getArgOperand(parameter->getArgNo()),
                                   caller.site, depth - 1);
         });
}

// The callee does not get the object by another argument too, by which it could publish it.
bool Escape::passes_alone(const Caller& caller, unsigned argument) const {
  if (!caller.passes_arguments || argument >= caller.site->arg_size()) return false;
  auto objects_of = [&](unsigned index) {
    std::set<ObjectId> objects;
    for (LocationId location : pointers_.points_to(caller.site->getArgOperand(index), caller.instance))
      objects.insert(pointers_.memory().object_of(location));
    return objects;
  };
  std::set<ObjectId> passed = objects_of(argument);
  for (unsigned i = 0; i < caller.site->arg_size(); i++)
    if (i != argument)
      for (ObjectId object : objects_of(i))
        if (passed.contains(object)) return false;
  return true;
}

} // namespace footrace::prove
