// All sync-preserving correct reorderings of a small trace, by trying every order (Mathur et al., POPL'21, section 2), from the definition and nothing else:
//   a reordering executes a prefix of each thread; a thread starts after its fork, a join comes after all of the thread, a leave after all arrivals;
//   a lock is held by one thread, or by sharing ones; of two sections that exclude each other, the first of the trace is the first of the reordering;
//   every read but the last step of the pair reads the write that it read in the trace, byte by byte (atomics and volatiles as well; an allocation is a write).
// A pair of conflicting accesses is a race if a reordering comes to where both are their threads' next steps.
#pragma once

#include "events/event.h"

#include <set>
#include <vector>

namespace footrace::replay {

using Pair = std::pair<size_t, size_t>; // events of the trace, the earlier one first

// Of conflicting accesses to a common byte of one life.
std::set<Pair> explore_races(const std::vector<Event>& trace);

// Those that SHB promises (Mathur et al., OOPSLA'18, section 3): conflicting accesses that neither program order, nor locks, fork, join,
// volatiles, barriers, nor a read of what was written order, where the later one has not read yet. From the transitive closure of these
// edges. Of plain later accesses only, and for traces where atomics are written by atomic operations only: there, what an acquire learns is
// what it reads.
std::set<Pair> find_shb_races(const std::vector<Event>& trace);

} // namespace footrace::replay
