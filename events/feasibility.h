// Which traces a program can produce (FastTrack, PLDI'09, section 2.1), extended to the whole vocabulary:
// (1) a lock has one exclusive holder or any number of shared ones; (2) only its holder releases it;
// (3) nothing of a thread precedes its fork or follows its exit or join; a thread that nobody forks is there
// from the start; (4) a thread is joined after it has exited, or its join is its end; (5) nobody leaves a
// barrier's generation before all its arrivals, and a thread that has arrived does nothing but leave; (6)
// memory orders are ones that C++20 allows for the operation, and ranges are not empty; (7) atomic blocks nest: an end
// has its begin. A trace may end inside of a block. Memory is free of rules: globals need no alloc, and a use after free is what a detector must survive.
#pragma once

#include "events/event.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace footrace {

class Feasibility {
public:
  // Why `event` cannot come next; empty if it can.
  std::string why_not(const Event& event) const;
  // Records an event that can.
  void append(const Event& event);

private:
  struct ThreadLife {
    bool ended = false, waiting = false;
    u64 barrier = 0, generation = 0; // where it waits
    u64 open_blocks = 0;
  };
  struct LockHolders {
    bool held = false; // exclusively, by `owner`
    u32 owner = 0;
    std::set<u32> shared;
  };
  const ThreadLife* life_of(u64 thread) const;
  std::string why_not_lock(const Event& event) const;
  std::string why_not_thread(const Event& event) const;

  std::unordered_map<u64, ThreadLife> threads_;
  std::unordered_map<u64, LockHolders> locks_;
  std::set<std::pair<u64, u64>> left_; // generations that somebody has left already
};

struct InfeasibleEvent {
  size_t index; // the trace's size when every event can happen
  std::string reason;
};
InfeasibleEvent first_infeasible(const std::vector<Event>& trace);

} // namespace footrace
