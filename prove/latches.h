// Order by latches. If a latch is counted down no more often, in the whole run, than it takes to open it, then every one of these times comes before
// the return of a wait: what a thread does before it counts down happens before what another does after it has waited.
#pragma once

#include "prove/history.h"
#include "prove/thread_counts.h"

namespace footrace::prove {

class Latches {
public:
  Latches(const PointsTo& pointers, const Executions& executions, const Threads& threads);

  bool must_be_ordered(const Access& a, const Access& b) const {
    return must_precede(a, b) || must_precede(b, a);
  }

private:
  using Use = std::pair<InstanceId, const llvm::CallBase*>;
  struct Uses {
    std::vector<Use> starts, arrivals, waits;
    bool is_certain = true;
  };
  struct Latch {
    std::set<OriginId> threads; // that count it down
    unsigned number;
    unsigned counted() const { return 2 * number; }
    unsigned waited() const { return 2 * number + 1; }
  };

  std::map<LocationId, Uses> find() const;
  bool needs_all(const Uses& uses) const;
  bool must_precede(const Access& a, const Access& b) const;

  const PointsTo& pointers_;
  const Executions& executions_;
  ThreadCounts counts_;
  std::vector<Latch> latches_;
  std::optional<History> history_;
};

} // namespace footrace::prove
