// Order by a lock that the creator holds: thread A creates T while it holds a lock and keeps it until after an access
// a. Once T (or a descendant of T) has taken that lock, A must have released it, so a happened before. The access may
// also be one of another thread that A keeps the lock for (creation_locks.h).
#pragma once

#include "prove/creation_locks.h"
#include "prove/history.h"

namespace footrace::prove {

class DescendantLocks {
public:
  DescendantLocks(const PointsTo& pointers, const Executions& executions, const Threads& threads,
                  const Locks& locks, const CreationLocks& creation_locks);

  bool must_be_ordered(const Access& a, const Access& b) const {
    return must_precede(a, b) || must_precede(b, a);
  }

private:
  struct Release {
    InstanceId instance;
    const llvm::CallBase* call;
    LocationSet locks; // empty: any
  };

  void collect(InstanceId instance, const llvm::CallBase& call, Events& events);
  bool must_precede(const Access& a, const Access& b) const;
  // A point of a thread that holds the lock there.
  struct Hold {
    LocationId lock;
    InstanceId instance;
    const llvm::Instruction* inst;
  };
  std::vector<Hold> holds_over(const Access& access) const;
  void add_creations(OriginId thread, const CreationLocks::Guard& guard, std::set<OriginId>& seen,
                     std::vector<Hold>& holds) const;
  bool must_end_before(const Hold& hold, const Access& b) const;
  bool is_kept(const Hold& hold, OriginId child) const;
  bool must_have_taken(LocationId lock, InstanceId instance, const llvm::Instruction* inst, OriginId holder,
                       std::set<OriginId>& seen) const;
  bool is_created_by(OriginId thread, OriginId creator) const;

  const PointsTo& pointers_;
  const Executions& executions_;
  const Threads& threads_;
  const Locks& locks_;
  const CreationLocks& creation_locks_;
  std::vector<Release> releases_; // the mark of a release is twice its index
  std::map<LocationId, unsigned> taken_;
  std::optional<History> history_;
};

} // namespace footrace::prove
