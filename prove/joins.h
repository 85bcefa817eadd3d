// Which threads a join waits for, when that is certain.
//
// A handle is known when one creation site alone writes the location that the join reads. Then the join ends every
// thread of that site, provided that no thread can be created there again before it; or, for arrays of handles, that
// one counted loop fills exactly the elements that another one joins; or, for vectors of std::thread, that the vector is
// destroyed (thread_owners.h). Wherever the handle has been in between, its value is known when it can be that of one
// thread only. A std::thread that is destroyed has been joined, for otherwise the program would have been ended.
#pragma once

#include "prove/accesses.h"
#include "prove/addresses.h"
#include "prove/executions.h"
#include "prove/thread_owners.h"

#include <map>

namespace footrace::prove {

class Joins {
public:
  Joins(const PointsTo& pointers, const Accesses& accesses, const Executions& executions);

  // Threads that have ended when the call returns.
  llvm::ArrayRef<OriginId> ended_by(InstanceId instance, const llvm::CallBase* join) const;
  // Threads that have ended when control enters the block: the loop before it joined them one by one.
  llvm::ArrayRef<OriginId> ended_before(InstanceId instance, const llvm::BasicBlock* block) const;

private:
  struct Handles; // writers of every handle location
  void examine(InstanceId instance, const llvm::CallBase& join, const Handles& handles);
  void examine_value(InstanceId instance, const llvm::CallBase& join, const ThreadOwners& owners,
                     const Handles& handles);
  bool must_end_all(const Spawn& spawn, InstanceId instance, const llvm::CallBase& join) const;
  const llvm::BasicBlock* joining_loop_exit(const Spawn& spawn, InstanceId instance,
                                            const llvm::CallBase& join, const llvm::Value* handle) const;
  void examine_walk(InstanceId instance, const llvm::CallBase& join, const ThreadOwners& owners,
                    const Handles& handles);
  void examine_destructor(InstanceId instance, const llvm::CallBase& call, const ThreadOwners& owners,
                          const Handles& handles);
  llvm::SmallVector<OriginId, 1> origins_of(const Spawn& spawn, const Handles& handles) const;

  const PointsTo& pointers_;
  const Executions& executions_;
  std::map<std::pair<InstanceId, const llvm::CallBase*>, llvm::SmallVector<OriginId, 1>> by_call_;
  std::map<std::pair<InstanceId, const llvm::BasicBlock*>, llvm::SmallVector<OriginId, 1>> by_block_;
};

} // namespace footrace::prove
