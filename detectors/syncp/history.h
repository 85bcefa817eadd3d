// What SyncP remembers of a trace: for every event a stamp (the events that must come before it in any correct reordering: thread order,
// fork and join, and the writes that reads read), and for every lock the critical sections of each thread.
#pragma once

#include "detectors/common/sync.h"

#include <memory>

namespace footrace::detectors::syncp {

using SharedClock = std::shared_ptr<const Clock>;

// TS(e) of an event: `own` events of thread `t`, and of other threads what `others` says. Clocks are shared by all events between two that learn.
struct Stamp {
  Tid t = 0;
  u64 own = 0;
  SharedClock others;
};

// A set of events that is a prefix of each thread.
class Ideal {
public:
  Ideal(const Stamp& stamp, ClockCounts& counts) : counts_(counts) { add(stamp); }
  bool has(Tid t, u64 local) const { return clock_.get(t) >= local; }
  u64 prefix(Tid t) const { return clock_.get(t); }
  // True if the set grew.
  bool add(const Stamp& stamp);

private:
  Clock clock_;
  ClockCounts& counts_;
};

struct Section {
  u64 acquire_local; // number of the acquire in its thread, from 1
  u64 acquire_event; // in the trace
  Stamp release;     // own 0: still open
};

class LockHistory {
public:
  void acquire(Tid t, bool shared, u64 local, u64 event);
  void release(Tid t, bool shared, const Stamp& stamp);
  // Sync-preserving: of two sections that exclude each other and have both begun in the set, the first must be over. Adds what is missing;
  // true if something was.
  bool close(Ideal& ideal) const;
  u64 memory() const;

private:
  // Sections of one thread, in order.
  struct OfThread {
    std::vector<Section> exclusive, shared;
  };
  static const Section* last_in(const std::vector<Section>& sections, Tid t, const Ideal& ideal);
  std::vector<OfThread> threads_;
};

} // namespace footrace::detectors::syncp
