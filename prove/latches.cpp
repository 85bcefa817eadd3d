#include "prove/latches.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace footrace::prove {
namespace {

constexpr unsigned count_argument = 1;

std::optional<std::uint64_t> count_of(const llvm::CallBase& call) {
  const auto* count = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(count_argument));
  return count && count->getValue().isStrictlyPositive() ? std::optional(count->getZExtValue())
                                                         : std::nullopt;
}

} // namespace

Latches::Latches(const PointsTo& pointers, const Executions& executions, const Threads& threads)
    : pointers_(pointers), executions_(executions), counts_(pointers, executions, threads) {
  Events events;
  for (const auto& [location, uses] : find()) {
    if (!executions.is_single_location(location) || !needs_all(uses)) continue;
    Latch latch{.threads = {}, .number = static_cast<unsigned>(latches_.size())};
    for (const Use& arrival : uses.arrivals) {
      latch.threads.insert(pointers.origin_of(arrival.first));
      events.at[arrival].set(latch.counted());
    }
    for (const Use& wait : uses.waits) events.at[wait].set(latch.waited());
    latches_.push_back(std::move(latch));
  }
  if (!latches_.empty()) history_.emplace(pointers, std::move(events));
}

std::map<LocationId, Latches::Uses> Latches::find() const {
  std::map<LocationId, Uses> found;
  for (InstanceId id = 0; id < pointers_.instances().size(); id++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[id].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
        for (const LibraryFunction* function : pointers_.library_callees(id, call)) {
          bool is_start = function->role == Role::LatchInit, is_arrival = function->role == Role::LatchArrive;
          if (!is_start && !is_arrival && function->role != Role::LatchWait) continue;
          const LocationSet& locations = pointers_.points_to(call->getArgOperand(0), id);
          for (LocationId location : locations) {
            Uses& uses = found[location];
            uses.is_certain &=
                locations.count() == 1 && pointers_.certain_library_callee(id, call) == function;
            (is_start ? uses.starts : is_arrival ? uses.arrivals : uses.waits).push_back({id, call});
          }
        }
  return found;
}

// It is made once, and never counted down further than to zero.
bool Latches::needs_all(const Uses& uses) const {
  if (!uses.is_certain || uses.starts.size() != 1) return false;
  const auto& [starter, start] = uses.starts[0];
  std::optional<std::uint64_t> size = count_of(*start);
  if (!size || executions_.may_run_again(starter, start)) return false;
  std::uint64_t total = 0;
  for (const auto& [instance, arrival] : uses.arrivals) {
    std::optional<std::uint64_t> count = count_of(*arrival);
    std::uint64_t runs = counts_.runs_of(instance, arrival);
    if (!count || runs > *size || *count > *size) return false;
    total += runs * *count;
    if (total > *size) return false;
  }
  return true;
}

bool Latches::must_precede(const Access& a, const Access& b) const {
  if (!history_) return false;
  Marks waited = history_->must_before(b.instance, b.inst);
  Marks counted = history_->may_before(a.instance, a.inst);
  return llvm::any_of(latches_, [&](const Latch& latch) {
    return waited.test(latch.waited()) && !counted.test(latch.counted()) &&
           latch.threads.contains(pointers_.origin_of(a.instance));
  });
}

} // namespace footrace::prove
