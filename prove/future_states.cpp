#include "prove/future_states.h"

#include "prove/local_lock.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace footrace::prove {
namespace {

constexpr llvm::StringLiteral mark = "footrace.future";

// Members of std::__future_base, and templates of the library that are made for them.
bool is_future_code(llvm::StringRef name) {
  if (name.starts_with("_ZZNSt13__future_base")) return true; // a closure of theirs
  return (name.starts_with("_ZNSt") || name.starts_with("_ZSt") || name.starts_with("_ZNKSt")) &&
         (name.contains("13__future_base") || name.starts_with("_ZNSt6futureI") ||
          name.starts_with("_ZNSt13shared_futureI") || name.starts_with("_ZNKSt13shared_futureI") ||
          name.starts_with("_ZNSt7promiseI") || name.starts_with("_ZNSt13packaged_taskI") ||
          name.starts_with("_ZNSt14__basic_futureI") || name.starts_with("_ZNKSt14__basic_futureI"));
}

// What it calls of the library, and the compiler inlined, is part of it. Code of the program, which it may call as well, is not.
bool is_made_by_future_code(const llvm::Instruction& inst) {
  if (inst.hasMetadata(mark)) return true;
  for (const llvm::DILocation* at = inst.getDebugLoc(); at; at = at->getInlinedAt()) {
    llvm::StringRef name = at->getScope()->getSubprogram()->getLinkageName();
    if (is_future_code(name)) return true;
    if (!name.starts_with("_ZNSt") && !name.starts_with("_ZSt") && !name.starts_with("_ZNKSt")) return false;
  }
  return false;
}

bool is_table_of_future_class(const Object& object) {
  const auto* global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(object.site);
  return object.kind == ObjectKind::Global && global &&
         global->getName().starts_with("_ZTVNSt13__future_base");
}

// Some record in it has the virtual functions of a state or of a result.
bool has_future_record(const PointsTo& pointers, const Object& object) {
  const Memory& memory = pointers.memory();
  return object.kind == ObjectKind::Heap && llvm::any_of(object.fields, [&](const auto& field) {
           const LocationSet& kept =
               pointers.solver().points_to(memory.at(memory.find(field.second)).content);
           for (LocationId location : kept)
             if (is_table_of_future_class(memory[memory.object_of(location)])) return true;
           return false;
         });
}

} // namespace

void mark_future_code(llvm::Module& module) {
  llvm::MDNode* node = llvm::MDNode::get(module.getContext(), {});
  for (llvm::Function& function : module)
    if (is_future_code(function.getName()))
      for (llvm::Instruction& inst : llvm::instructions(function))
        if (inst.mayReadOrWriteMemory()) inst.setMetadata(mark, node);
}

FutureStates::FutureStates(const PointsTo& pointers, const Accesses& accesses, const RacySites& races)
    : pointers_(pointers), accesses_(accesses) {
  const Memory& memory = pointers.memory();
  for (ObjectId id = 0; id < memory.object_count(); id++)
    if (has_future_record(pointers, memory[id])) states_.insert(id);
  if (states_.empty()) return;
  auto may_hold_state = [&](const Access& access) {
    for (LocationId location : accesses.locations(access)) {
      if (states_.contains(memory.object_of(location))) continue;
      for (LocationId kept : pointers.solver().points_to(memory.at(location).content))
        if (states_.contains(memory.object_of(kept))) return true;
    }
    return false;
  };
  for (const Access& access : accesses.all())
    if (races.contains({access.instance, access.inst}) && may_hold_state(access)) {
      states_.clear();
      return;
    }
}

bool FutureStates::must_be_ordered(const Access& a, const Access& b) const {
  if (states_.empty() || !is_made_by_future_code(*a.inst) || !is_made_by_future_code(*b.inst)) return false;
  return std::ranges::includes(states_, common_objects(pointers_, accesses_, a, b));
}

} // namespace footrace::prove
