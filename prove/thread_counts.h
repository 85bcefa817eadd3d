// How many threads of a kind there are, at most, in a whole run.
#pragma once

#include "prove/threads.h"

namespace footrace::prove {

class ThreadCounts {
public:
  ThreadCounts(const PointsTo& pointers, const Executions& executions, const Threads& threads)
      : pointers_(pointers), executions_(executions), threads_(threads) {}

  // The first function of the threads.
  std::optional<InstanceId> entry_of(OriginId origin) const;
  std::uint64_t threads_of(OriginId origin) const; // may be unbounded
  // How often all threads together run the instruction, at most; may be unbounded.
  std::uint64_t runs_of(InstanceId instance, const llvm::Instruction* inst) const;

private:
  const PointsTo& pointers_;
  const Executions& executions_;
  const Threads& threads_;
};

} // namespace footrace::prove
