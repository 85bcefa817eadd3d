// Happens-before of a trace, computed from its definition and nothing else: every event carries a full vector
// clock.
//
// The relation is the transitive closure of program order and of "synchronises with", which is read off the
// trace: modification order is the order of the trace, and a load reads the last store. Nothing here is
// shared with clocks/ or with FastTrack: no epochs, no ticks at releases, no summaries per lock. Slow and
// meant to be read.
//
// Clock(e)(t) is the number of events of thread t that happen before e or are e.
// Synchronises-with, per operation:
//   fork(u)      with the first event of u;  the last event of u with join(u)
//   rel, rel_shared  with every later acq;  rel with every later acq_shared
//   vol_w        with every later vol_r of the variable
//   arrive(B,g)  with every leave(B,g)
//   atomics      C++20 [atomics.order] and [atomics.fences]: see heads_of_value and synchronizes_with
// Assumption: an atomic object is its address, whatever the size; plain writes are not part of its
// modification order.
#pragma once

#include "events/event.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace footrace::oracle {

using EventIndex = u32;

// Indexed by thread in order of appearance; entries beyond the end are zero.
class ClockVector {
public:
  u32 operator[](size_t thread) const { return thread < entries_.size() ? entries_[thread] : 0; }
  void set(size_t thread, u32 count);
  void join(const ClockVector& other);

private:
  std::vector<u32> entries_;
};

class HappensBefore {
public:
  // The events that synchronise with `e` if it comes next.
  std::vector<EventIndex> synchronizes_with(const Event& e) const;
  // Clock(e) if e comes next.
  ClockVector clock_of_next(const Event& e) const;
  void append(const Event& e);

  size_t size() const { return events_.size(); }
  const Event& event(EventIndex i) const { return events_[i]; }
  const ClockVector& clock(EventIndex i) const { return clocks_[i]; }
  // Does the earlier event i happen before the event whose clock this is?
  bool ordered(EventIndex i, const ClockVector& clock) const { return clock[thread_[i]] >= position_[i]; }

private:
  struct ThreadHistory {
    size_t number = 0; // its entry in the clocks
    u32 events = 0;
    std::optional<EventIndex> last, forked_by, release_fence;
    // Heads of the values that atomic reads have read since the last acquire fence.
    std::vector<EventIndex> heads_read;
  };
  struct LockHistory {
    std::vector<EventIndex> exclusive_releases, shared_releases;
  };
  struct AtomicWrite {
    EventIndex event;
    std::optional<EventIndex> release_fence; // the last one sequenced before it
  };
  const ThreadHistory* history_of(u32 thread) const;
  ThreadHistory& history_of_new(u32 thread);
  std::vector<EventIndex> heads_of_value(u64 address) const;

  std::vector<Event> events_;
  std::vector<ClockVector> clocks_;
  std::vector<size_t> thread_; // of each event, by number
  std::vector<u32> position_;  // of each event in its thread, from 1
  std::unordered_map<u32, ThreadHistory> threads_;
  std::unordered_map<u64, LockHistory> locks_;
  std::unordered_map<u64, std::vector<EventIndex>> volatile_writes_;
  std::map<std::pair<u64, u64>, std::vector<EventIndex>> arrivals_;
  std::map<u64, std::vector<AtomicWrite>> modification_order_; // by address
};

} // namespace footrace::oracle
