// Locks that are held for certain, at every point of every instance. Flow-sensitive; a function keeps the caller's
// locks unless it may release one of them. A lock is known by the one run-time location that it is (a global lock), or
// by its address in the frame that holds it (a local lock).
//
// pthread_once and the guard of a static local variable are locks too: what runs once holds it exclusively, and whoever
// has waited for that holds it shared, for ever (paper 001 does not have them).
#pragma once

#include "prove/accesses.h"
#include "prove/addresses.h"
#include "prove/executions.h"
#include "prove/lock_words.h"

#include "llvm/ADT/BitVector.h"

#include <optional>

namespace footrace::prove {

struct HeldLock {
  std::optional<LocationId> single; // set: this alone says which lock it is
  Address address;           // in the frame of the instance that asks; root null: somewhere in a caller
  LocationSet locations;     // where the lock may be
  bool is_shared = false;    // a reader's lock
  bool is_inherited = false; // taken before the function was called
  bool is_done = false;      // what runs once under this lock has run: never
                             // released, and new threads know it too
  bool is_word = false;      // of the program's own making (lock_words.h)

  bool same_lock(const HeldLock& other) const {
    if (is_shared != other.is_shared || single != other.single) return false;
    return single || (address == other.address && locations == other.locations);
  }
  // One lock in all runs of both: a single location, or a constant address, also in an array that is indexed elsewhere.
  bool must_be_global(const HeldLock& other) const {
    if (single || other.single) return single == other.single;
    return address == other.address && is_shared_variable(address.root);
  }
};
using LockSet = std::vector<HeldLock>;

class Locks {
public:
  Locks(const PointsTo& pointers, const Accesses& accesses, const Executions& executions,
        const Equalities& equalities, const LockWords& words);

  // Before the instruction.
  LockSet held(InstanceId instance, const llvm::Instruction* inst) const;
  bool must_hold(InstanceId instance, const llvm::Instruction* inst, const llvm::Value* lock) const;

private:
  using State = std::optional<LockSet>; // nothing: not reached

  void find_callers();
  // Whether its callers have something new to see.
  bool flow(InstanceId instance);
  // False if control does not get past the instruction.
  bool apply(InstanceId instance, const llvm::Instruction& inst, LockSet& state, bool is_recording,
             Way way = Way::Returns);
  bool call(InstanceId instance, const llvm::CallBase& call, LockSet& state, bool is_recording, Way way);
  void call_library(InstanceId instance, const llvm::CallBase& call, LockSet& state, bool is_recording,
                    Way way);
  // The state when the last instruction of the block is reached; nothing if it is not.
  State flow_through(InstanceId instance, const llvm::BasicBlock& block, bool& changed);
  void without_released(LockSet& state, InstanceId callee) const;
  void acquire(InstanceId instance, const llvm::Value* pointer, bool is_shared, LockSet& state) const;
  void acquire(const HeldLock& lock, LockSet& state) const;
  void acquire_word(InstanceId instance, const llvm::Value* pointer, LockSet& state) const;
  static void forget_failed(const HeldLock& lock, LockSet& state);
  void release(InstanceId instance, const llvm::Value* pointer, LockSet& state, bool is_recording);
  void take_branch(InstanceId instance, const llvm::BasicBlock& from, const llvm::BasicBlock* to,
                   LockSet& state) const;
  HeldLock lock_at(InstanceId instance, const llvm::Value* pointer, bool is_shared) const;
  std::optional<HeldLock> once_control(InstanceId instance, const llvm::CallBase& call) const;
  void done(InstanceId instance, const llvm::Value* pointer, LockSet& state) const;
  bool is_written(LocationId location) const;
  void start(const llvm::CallBase& call, InstanceId creator, const LockSet& state);
  bool enter(InstanceId caller, const llvm::CallBase& call, InstanceId callee, bool is_plain_call,
             const LockSet& state);
  LockSet left_by(InstanceId caller, const llvm::CallBase& call, const LockSet& held) const;
  static bool meet(State& into, const LockSet& from);

  struct Released {
    LocationSet locations;
    bool anything = false;
  };

  const PointsTo& pointers_;
  const Accesses& accesses_;
  const Executions& executions_;
  const Equalities& equalities_;
  const LockWords& words_;
  std::vector<State> entries_, exits_, thrown_; // exits by a return, and by an exception
  std::vector<std::vector<InstanceId>> callers_;
  llvm::BitVector waiting_;        // instances that have something new to see
  std::vector<Released> released_; // locks of a caller that the instance may release
  std::map<std::pair<InstanceId, const llvm::BasicBlock*>, State> blocks_;
};

// A branch that asks whether a value is zero.
struct ZeroTest {
  const llvm::Value* value = nullptr;
  const llvm::BasicBlock *zero = nullptr, *other = nullptr; // different blocks
};
ZeroTest zero_test(const llvm::BasicBlock& block);

} // namespace footrace::prove
