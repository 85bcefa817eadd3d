// Order beyond creation and joining, which paper 001 does not have: barriers, latches, signals, locks held over a creation,
// counts of owners, futures.
#pragma once

#include "prove/barriers.h"
#include "prove/descendant_locks.h"
#include "prove/future_states.h"
#include "prove/latches.h"
#include "prove/shared_owners.h"
#include "prove/signals.h"

namespace footrace::prove {

class Ordering {
public:
  Ordering(const PointsTo& pointers, const Accesses& accesses, const Executions& executions,
           const Threads& threads, const Escape& escape, const Locks& locks,
           const CreationLocks& creation_locks, const Equalities& equalities, const RacySites& races)
      : barriers_(pointers, executions, threads), latches_(pointers, executions, threads),
        signals_(pointers, accesses, executions, locks),
        descendant_locks_(pointers, executions, threads, locks, creation_locks),
        shared_owners_(pointers, accesses, executions, threads, escape, equalities, races),
        future_states_(pointers, accesses, races) {}

  // One happens before the other, in every run that has both.
  bool must_be_ordered(const Access& a, const Access& b) const {
    return barriers_.must_be_ordered(a, b) || latches_.must_be_ordered(a, b) ||
           signals_.must_be_ordered(a, b) || descendant_locks_.must_be_ordered(a, b) ||
           future_states_.must_be_ordered(a, b) || shared_owners_.must_be_ordered(a, b);
  }

  // Some of it holds only if other accesses do not race.
  bool relies_on_races() const { return shared_owners_.is_used() || future_states_.is_used(); }

private:
  Barriers barriers_;
  Latches latches_;
  Signals signals_;
  DescendantLocks descendant_locks_;
  SharedOwners shared_owners_;
  FutureStates future_states_;
};

} // namespace footrace::prove
