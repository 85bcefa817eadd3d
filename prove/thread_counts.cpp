#include "prove/thread_counts.h"

#include "prove/loop_arithmetic.h"

namespace footrace::prove {
namespace {

// How often the loop runs the instruction, at most.
std::uint64_t iterations(const llvm::Loop& loop, const llvm::Instruction& inst,
                         llvm::ScalarEvolution& evolution) {
  const auto* repeats = llvm::dyn_cast<llvm::SCEVConstant>(evolution.getConstantMaxBackedgeTakenCount(&loop));
  if (!repeats || repeats->getAPInt().getActiveBits() > 32) return unbounded;
  // The last iteration ends in the header, before the rest of the loop.
  bool is_left_before = loop.getExitingBlock() == loop.getHeader() && inst.getParent() != loop.getHeader();
  return repeats->getAPInt().getZExtValue() + (is_left_before ? 0 : 1);
}

} // namespace

std::optional<InstanceId> ThreadCounts::entry_of(OriginId origin) const {
  if (origin == main_origin) return pointers_.main_instance();
  for (const Spawn& spawn : threads_.creations(origin))
    for (InstanceId entry : pointers_.spawned(spawn.creator, spawn.site))
      if (pointers_.origin_of(entry) == origin) return entry;
  return std::nullopt;
}

std::uint64_t ThreadCounts::threads_of(OriginId origin) const {
  std::optional<InstanceId> entry = entry_of(origin);
  if (!entry) return unbounded;
  if (!executions_.may_run_again(*entry)) return 1;
  llvm::ArrayRef<Spawn> creations = threads_.creations(origin);
  if (creations.size() != 1 || executions_.may_run_again(creations[0].creator) ||
      pointers_.may_spawn_many(creations[0].creator, creations[0].site))
    return unbounded;
  LoopArithmetic facts(const_cast<llvm::Function&>(*creations[0].site->getFunction()));
  const llvm::Loop* loop = facts.loops.getLoopFor(creations[0].site->getParent());
  if (!loop || loop->getParentLoop()) return unbounded;
  return iterations(*loop, *creations[0].site, facts.evolution);
}

std::uint64_t ThreadCounts::runs_of(InstanceId instance, const llvm::Instruction* inst) const {
  if (!executions_.may_run_again(instance, inst)) return 1;
  bool is_once_in_thread =
      entry_of(pointers_.origin_of(instance)) == instance && !may_reach(inst, inst, nullptr);
  return is_once_in_thread ? threads_of(pointers_.origin_of(instance)) : unbounded;
}

} // namespace footrace::prove
