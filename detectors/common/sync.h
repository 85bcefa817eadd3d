// What orders threads: C_t and L_m of FastTrack and of all vector-clock detectors (PLDI'09, Figure 3 and section 4), with shared locks and
// C++20's atomics and fences as events/event.h has them. Each rule has a half before the event's own accesses, which learns, and one behind
// them, which publishes and ticks.
//   [ACQUIRE]  C_t := C_t join L_m              [RELEASE]  L_m := C_t; tick
//   [FORK]     C_u := C_u join C_t; tick t      [JOIN]     C_t := C_t join C_u
//   [READ VOLATILE], [WRITE VOLATILE], [BARRIER RELEASE] in its two halves, atomics with release sequences, fences
// Deviation: join does not tick u, which makes no step any more.
// Memory: one clock for each thread, lock, volatile variable, atomic object and open barrier.
#pragma once

#include "detectors/common/clock.h"
#include "events/event.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace footrace::detectors {

// The threads of a trace by dense number.
class Threads {
public:
  Tid tid(u32 thread) {
    if (thread == last_thread_ && !names_.empty()) return last_;
    const auto [found, is_new] = tids_.try_emplace(thread, Tid(names_.size()));
    if (is_new) names_.push_back(thread);
    last_thread_ = thread, last_ = found->second;
    return last_;
  }
  u32 thread(Tid t) const { return names_[t]; }
  size_t size() const { return names_.size(); }

private:
  std::unordered_map<u32, Tid> tids_;
  std::vector<u32> names_;
  u32 last_thread_ = 0;
  Tid last_ = 0;
};

class Sync {
public:
  // The half of the event's rule before its accesses; the thread's number.
  Tid before(const Event& event);
  // The half behind them.
  void after(const Event& event, Tid t);

  const Clock& C(Tid t) const { return threads_[t].C; }
  Epoch epoch(Tid t) const { return threads_[t].epoch; }
  u32 thread(Tid t) const { return names_.thread(t); }
  ClockCounts& counts() { return counts_; }
  const ClockCounts& counts() const { return counts_; }
  u64 memory() const;

  // For orders that are stronger than happens-before (SHB): C_t := C_t join what, and what others learn from is over.
  void learn(Tid t, const Clock& what) { threads_[t].C.join(what, counts_); }
  void tick(Tid t);

private:
  struct ThreadState {
    Clock C;
    Epoch epoch;
    Clock release_fence; // C at the last release fence: what a relaxed store publishes
    Clock relaxed_reads; // what an acquire fence learns
  };
  struct LockState {
    Clock L;       // of the last exclusive release
    Clock readers; // of the shared releases since
  };
  struct BarrierState {
    Clock L;
    u64 inside = 0; // arrived and not left
  };
  Tid tid(u32 thread);
  void learn_atomic(const Event& event, ThreadState& t);
  void publish_atomic(const Event& event, Tid t);

  Threads names_;
  std::vector<ThreadState> threads_;
  std::unordered_map<u64, LockState> locks_;
  std::unordered_map<u64, Clock> volatiles_;
  std::map<std::pair<u64, u64>, BarrierState> barriers_;
  std::map<u64, Clock> atomics_; // of the release sequence that the object's value belongs to
  ClockCounts counts_;
};

} // namespace footrace::detectors
