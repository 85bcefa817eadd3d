#include "prove/semaphores.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {
namespace {

constexpr unsigned value_argument = 2; // of sem_init

// The value of a variable that no function initialises: it is the first number in it.
std::optional<std::uint64_t> initial_value(const PointsTo& pointers, LocationId location) {
  const Memory& memory = pointers.memory();
  const Object& object = memory[memory.object_of(location)];
  const auto* variable = llvm::dyn_cast_or_null<llvm::GlobalVariable>(object.site);
  if (object.kind != ObjectKind::Global || !variable || !variable->hasInitializer()) return std::nullopt;
  const llvm::Constant* value = llvm::ConstantFoldLoadFromConst(
      const_cast<llvm::Constant*>(variable->getInitializer()), llvm::Type::getInt32Ty(variable->getContext()),
      llvm::APInt(64, memory.at(location).offset), pointers.module().getDataLayout());
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
  return number ? std::optional(number->getZExtValue()) : std::nullopt;
}

std::optional<std::uint64_t> common_start(const std::vector<SemaphoreUse>& starts) {
  std::optional<std::uint64_t> common;
  for (const SemaphoreUse& start : starts) {
    const auto* value = llvm::dyn_cast<llvm::ConstantInt>(start.call->getArgOperand(value_argument));
    if (!value || (common && *common != value->getZExtValue())) return std::nullopt;
    common = value->getZExtValue();
  }
  return common;
}

} // namespace

std::map<LocationId, Semaphore> find_semaphores(const PointsTo& pointers) {
  std::map<LocationId, Semaphore> found;
  for (InstanceId id = 0; id < pointers.instances().size(); id++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers.instances()[id].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
        for (const LibraryFunction* function : pointers.library_callees(id, call)) {
          if (function->role == Role::Handler || function->role == Role::HandlerRecord) return {};
          if (!function->name.starts_with("sem_") || call->arg_size() == 0) continue;
          const LocationSet& locations = pointers.points_to(call->getArgOperand(0), id);
          for (LocationId location : locations) {
            Semaphore& semaphore = found[location];
            if (function->name == "sem_init") semaphore.starts.push_back({id, call});
            if (function->name == "sem_post") semaphore.posts.push_back({id, call});
            if (function->name == "sem_wait" && locations.count() == 1 &&
                pointers.certain_library_callee(id, call) == function)
              semaphore.waits.push_back({id, call});
          }
        }
  for (auto& [location, semaphore] : found)
    semaphore.begins_with =
        semaphore.starts.empty() ? initial_value(pointers, location) : common_start(semaphore.starts);
  return found;
}

} // namespace footrace::prove
