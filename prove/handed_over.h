// Ownership that passes through queues, as an assumption of the user's (--assume=queue-transfer); paper 001 does not have this.
//
//   T1: job = new Job; lock; queue.put(job); unlock       T2: lock; job = queue.take(); unlock; job->x
//
// Assumed: whoever takes the address of an object out of a queue is the only one who has it. Looked at: everything through which several
// threads may learn of the object is a place of a queue, or in an object that is handed over too. A place of a queue is used under one lock
// only, and whoever reads it there changes the queue as well; a table in which things are only looked up is none. Who has put an object
// into a queue does not own it any more.
#pragma once

#include "prove/escape.h"
#include "prove/locks.h"
#include "prove/threads.h"

namespace footrace::prove {

class HandedOver {
public:
  HandedOver(const PointsTo& pointers, const Accesses& accesses, const Threads& threads, const Escape& escape,
             const Locks& locks);

  // Under the assumption.
  bool must_be_ordered(const Access& a, const Access& b) const;
  const std::set<ObjectId>& objects() const { return objects_; }

private:
  using Objects = std::set<ObjectId>;

  void find_holders();
  Objects given_to_threads() const;
  void find_objects();
  bool may_be_learned_of_otherwise(ObjectId object) const;
  // The lock of a place of a queue; nothing if it is none.
  std::optional<LocationId> lock_of(LocationId place) const;
  std::optional<LocationId> find_lock(LocationId place) const;
  bool is_alone(const Access& access, llvm::ArrayRef<AccessId> users, LocationId place) const;
  bool takes_out(const Access& read, LocationId lock) const;
  bool holds(const Access& access, LocationId lock) const;
  bool may_be_put_before(InstanceId instance, const llvm::Value* pointer, const llvm::Instruction* at,
                         bool is_locked, unsigned depth) const;
  bool may_put(InstanceId instance, const llvm::Use& use) const;
  void find_putters();

  const PointsTo& pointers_;
  const Accesses& accesses_;
  const Threads& threads_;
  const Escape& escape_;
  const Locks& locks_;
  Callers callers_;
  std::map<ObjectId, LocationSet> holders_; // places, known to several threads, that may hold its address
  std::map<ObjectId, std::vector<AccessId>> users_;                  // of memory that several threads know
  mutable std::map<LocationId, std::optional<LocationId>> locks_of_; // what lock_of said
  Objects objects_;
  std::set<InstanceId> putters_; // functions that may put an object into a queue, or call one that does
};

} // namespace footrace::prove
