// Order by the counts of std::shared_ptr: whoever drops the last reference to an object ends it, after all that the others
// did while they had theirs. Paper 001 does not have this.
//
//   T1: p->x; p.reset()        T2: p.reset(), which destroys *p
//
// An access whose pointer was read from a shared_ptr that is not changed or destroyed in between is made by an owner. The
// end of an object is what the virtual functions _M_dispose and _M_destroy of its counts do, and what they call.
#pragma once

#include "prove/escape.h"
#include "prove/must_alias.h"
#include "prove/paths.h"
#include "prove/threads.h"

namespace footrace::prove {

// Functions that count owners. They are not inlined, so that their accesses are known.
bool is_count_of_owners(llvm::StringRef function);

class SharedOwners {
public:
  // `races`: accesses that may race; a shared_ptr that two threads use without order counts nothing.
  SharedOwners(const PointsTo& pointers, const Accesses& accesses, const Executions& executions,
               const Threads& threads, const Escape& escape, const Equalities& equalities,
               const RacySites& races);

  bool must_be_ordered(const Access& a, const Access& b) const;
  bool is_used() const { return !ends_.empty(); }

private:
  using Objects = std::set<ObjectId>;

  void find_ends();
  bool has_pointers_to_others() const;
  void drop_raced(const RacySites& races);
  // What the access is part of the end of; null if it is not.
  const Objects* ended_by(const Access& access) const;
  bool is_at_ended(const Access& end) const;
  bool is_one(const Objects& counts) const;
  bool are_both_counting(const Access& a, const Access& b) const;
  bool are_one_end(const Access& a, const Access& b, const Objects& counts) const;
  bool must_precede_end(const Access& a, const Access& end, const Objects& counts) const;

  // How the pointer of the access comes from what its thread owns.
  Derived by_owner(const Access& access, const Objects& counts) const;
  // The pointer was read from a shared_ptr that is the thread's own and as it was.
  bool is_kept(InstanceId instance, const llvm::LoadInst& load, const Access& access,
               const Objects& counts) const;
  bool is_held(InstanceId instance, const llvm::CallBase& allocation, const Access& access,
               const Objects& counts) const;
  // Accesses by which a shared_ptr may lose what it owns; `field` is where it keeps the counts. Nothing if it may be no shared_ptr.
  const std::optional<std::vector<AccessId>>& changes_of(LocationId field) const;
  bool may_be_changed_between(InstanceId instance, const llvm::LoadInst& load, const Access& change,
                              const Access& access) const;
  bool is_of_thread(InstanceId instance, const llvm::Value* pointer) const;
  std::set<const llvm::Instruction*> places_in(InstanceId instance, const Access& access) const;

  const PointsTo& pointers_;
  const Accesses& accesses_;
  const Executions& executions_;
  const Threads& threads_;
  const Escape& escape_;
  std::optional<Callers> callers_;
  std::optional<Paths> paths_;
  std::map<InstanceId, Objects> ends_; // of which counts; empty: nothing is concluded
  Objects counts_, raced_;             // all that are known; those of which a shared_ptr is raced on
  // What changes_of, is_of_thread and by_owner said.
  mutable std::map<LocationId, std::optional<std::vector<AccessId>>> changes_;
  mutable std::map<std::pair<InstanceId, const llvm::Value*>, bool> of_thread_;
  mutable std::map<std::tuple<InstanceId, Expression, Objects>, Derived> owners_;
};

} // namespace footrace::prove
