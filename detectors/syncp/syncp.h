// Sync-preserving races (Mathur, Pavlogiannis and Viswanathan, POPL'21, Algorithms 1 and 2): pairs of conflicting accesses that a
// reordering of the trace can put next to each other, where every read reads what it read and critical sections of one lock keep their
// order (those that are left out are left out whole or at the end). More than happens-before and SHB see: two sections of one lock do not
// order what is around them.
// Guarantee: predictive, and complete for this kind of reordering: for each access, each thread and each kind of earlier access, a pair is
// reported if there is one (the first that is there).
// Rule: (e1, e2) is a race if the smallest set that holds what comes before e1 and before e2 in their threads, is closed under stamps
// (history.h) and under the order of sections, has neither e1 nor e2. The sets for later accesses of a thread are larger, so an e1 that was
// in one is never asked again.
// Volatiles, barriers and atomics: a read comes after the write that it reads, a leave after all arrivals. Memory orders play no part,
// since a reordering keeps every value that was read.
// An allocation is a write that races with nothing.
// Deviation: memory grows with the trace (the paper shows that no algorithm can do with less than linear space in the worst case): critical
// sections, and accesses between which their thread wrote or released.
#pragma once

#include "detectors/common/blocks.h"
#include "detectors/common/detector.h"
#include "detectors/common/shadow.h"
#include "detectors/syncp/history.h"

namespace footrace::detectors {

class SyncP final : public Detector {
public:
  explicit SyncP(Partition = {}) {}
  void assume_writes_read() override { writes_read_ = true; }
  void step(const Event& event, Verdict& verdict) override;
  Cost cost() const override;

private:
  using Stamp = syncp::Stamp;
  using SharedClock = syncp::SharedClock;
  struct Thread {
    u64 events = 0;
    u64 published = 0; // events that others may learn from
    SharedClock others;
  };
  struct Access {
    u64 event, local;
    SharedClock others; // before the event
  };
  // How many accesses of the list can be in no race with accesses of thread t any more.
  struct Progress {
    Tid t;
    size_t done;
  };
  // Accesses of one kind by one thread, in order.
  struct History {
    Tid t;
    AccessKind kind;
    u64 published; // by the thread, at the last access
    std::vector<Access> accesses;
    std::vector<Progress> progress;
    size_t& done_for(Tid t);
  };
  struct State {
    Stamp last_write; // own 0: none
    std::vector<History> histories;
    u64 bytes() const;
  };

  Thread& thread(Tid t);
  Stamp stamp(Tid t) const { return {t, threads_[t].events, threads_[t].others}; }
  void learn(Tid t, const Stamp& what);
  bool may_read(EventKind kind) const {
    return kind == EventKind::Read || may_read_atomically(kind) || (writes_read_ && kind == EventKind::Write);
  }
  void learn_writes(const Event& event, Tid t);
  void synchronize(const Event& event, Tid t);
  void check(State& x, Tid t, AccessKind kind, const Stamp& before, const Bytes& bytes, Verdict& verdict);
  bool is_race(const Stamp& before, Tid u, const Access& earlier);
  void remember(State& x, Tid t, AccessKind kind, const Stamp& before);

  Threads names_;
  std::vector<Thread> threads_;
  std::unordered_map<u64, syncp::LockHistory> locks_;
  std::unordered_map<u64, Stamp> volatiles_; // the last write
  struct Barrier {
    std::vector<Stamp> arrivals;
    u64 inside = 0;
  };
  std::map<std::pair<u64, u64>, Barrier> barriers_;
  bool writes_read_ = false;
  Shadow<State> memory_;
  Blocks<Stamp> allocations_; // the last write of memory that was not written since
  u64 events_ = 0;
  ClockCounts counts_;
  u64 checks_ = 0, closures_ = 0;
};

} // namespace footrace::detectors
