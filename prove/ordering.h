// Order beyond creation and joining, which paper 001 does not have: barriers, latches, signals, locks held over a creation.
#pragma once

#include "prove/barriers.h"
#include "prove/descendant_locks.h"
#include "prove/latches.h"
#include "prove/signals.h"

namespace footrace::prove {

class Ordering {
public:
  Ordering(const PointsTo& pointers, const Accesses& accesses, const Executions& executions,
           const Threads& threads, const Locks& locks, const CreationLocks& creation_locks)
      : barriers_(pointers, executions, threads), latches_(pointers, executions, threads),
        signals_(pointers, accesses, executions, locks),
        descendant_locks_(pointers, executions, threads, locks, creation_locks) {}

  // One happens before the other, in every run that has both.
  bool must_be_ordered(const Access& a, const Access& b) const {
    return barriers_.must_be_ordered(a, b) || latches_.must_be_ordered(a, b) ||
           signals_.must_be_ordered(a, b) || descendant_locks_.must_be_ordered(a, b);
  }

private:
  Barriers barriers_;
  Latches latches_;
  Signals signals_;
  DescendantLocks descendant_locks_;
};

} // namespace footrace::prove
