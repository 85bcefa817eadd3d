// Order by barriers. If at most as many threads ever wait at a barrier as it takes to pass it, every round needs all of
// them: what one thread does before its n-th wait happens before what another does after its n-th.
//
// An access that comes after at most i waits therefore happens before one that comes after at least j > i of them.
// Loops are covered where all threads run one function in which every wait has one next wait: then all threads are at
// the same wait in each round, and accesses after different waits are in different rounds.
#pragma once

#include "prove/history.h"
#include "prove/thread_counts.h"

namespace footrace::prove {

class Barriers {
public:
  Barriers(const PointsTo& pointers, const Executions& executions, const Threads& threads);

  bool must_be_ordered(const Access& a, const Access& b) const;

private:
  using Wait = std::pair<InstanceId, const llvm::CallBase*>;
  struct Barrier {
    LocationId location;
    std::vector<Wait> waits;
    std::set<OriginId> threads;
    bool has_one_sequence = false; // every thread passes the same waits in the same order
  };
  // Waits before a point of a thread.
  struct State {
    unsigned least = 0, most = 0;            // `most` may be unbounded
    std::set<const llvm::Instruction*> last; // what may be the last one; null: none yet
    bool is_reached = false;
  };

  void find();
  bool has_all_threads(const Barrier& barrier, std::uint64_t size) const;
  State before(const Barrier& barrier, const Access& access) const;
  State at(const Barrier& barrier, InstanceId entry, const llvm::Instruction* inst) const;
  bool may_call(InstanceId from, const llvm::CallBase* call, InstanceId to) const;
  bool has_one_sequence(const Barrier& barrier) const;
  static bool join(State& into, const State& from);

  const PointsTo& pointers_;
  const Executions& executions_;
  ThreadCounts counts_;
  std::vector<Barrier> barriers_;
};

} // namespace footrace::prove
