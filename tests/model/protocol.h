// Scenarios for the explorer: a few accesses per thread to a few cells, and what must be true of every interleaving.
//   During a run: only who has locked a cell or header stores to it; a zero cell is never the expected value of a compare-and-swap; a
//   coarse header has only zero cells, a fine one has none.
//   After it: a byte with a conflicting pair was told by at least one of the two, a byte without one by nobody; a last access that is
//   ordered after nothing meets everything that was not replaced, so no update was lost; forgetting it all leaves nothing behind.
#pragma once

#include "detectors/fasttrack/access.h"
#include "tests/model/explorer.h"

namespace footrace::model {

struct Access {
  u32 offset, size;
  fasttrack::AccessKind kind;
};
std::string to_text(const Access& a);

using Accesses = std::vector<Access>;

// `before` is ordered before all threads; each of `earlier` is made by a thread of its own, all ordered before the threads of the run but
// not with one another. The threads of the run are not ordered; each has made the accesses `first` in an earlier epoch of its own.
struct Plan {
  Accesses before;
  Accesses earlier;
  std::vector<Accesses> threads;
  Accesses first = {};
  bool may_share_sets = true; // false: every cell gets a set of readers of its own
  u32 rounds = 1;             // of `first`, each in an epoch of its own
};
std::string to_text(const Plan& plan);

Outcome check(const Plan& plan, u64 most_runs = 2'000'000);

} // namespace footrace::model
