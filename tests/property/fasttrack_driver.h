// Drives FastTrack, the very functions that the runtime calls, with the events of a trace: simulated threads
// in one OS thread, addresses in a buffer of this process with its real shadow. Where the runtime makes a
// choice, this makes the same: an atomic is checked between its acquire and its release; a free is a write;
// the tid of an ended thread is used again by a fork whose creator has seen all of it. A Fault is a
// deliberate mistake of this driver. It shows that the comparison with the oracle can fail.
#pragma once

#include "check/step.h"
#include "check/sync_rules.h"
#include "events/event.h"

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footrace::property {

#define FOOTRACE_DRIVER_FAULTS(X)                                                                            \
  X(skip_acquire)             /* a lock's acquire joins nothing */                                           \
  X(skip_fork)                /* the child does not know its creator's past */                               \
  X(skip_join)                /* a join orders nothing */                                                    \
  X(skip_volatile_read)       /* a volatile read joins nothing */                                            \
  X(order_shared_holders)     /* read locks order read unlocks, as a mutex would */                          \
  X(forget_shared_releases)   /* an exclusive acquire ignores read unlocks */                                \
  X(one_barrier_clock)        /* all generations of a barrier share their arrivals */                        \
  X(ignore_release_fence)     /* relaxed stores publish nothing */                                           \
  X(ignore_acquire_fence)     /* relaxed loads order nothing */                                              \
  X(relaxed_store_continues)  /* a relaxed store does not cut the release sequence */                        \
  X(rmw_cuts_sequence)        /* a read-modify-write starts a new release sequence */                        \
  X(relaxed_load_acquires)    /* every atomic load acquires */                                               \
  X(check_rmw_before_acquire) /* an RMW is checked before it acquires */                                     \
  X(check_rmw_after_release)  /* and recorded only after its release's tick */                               \
  X(failed_cas_writes)        /* a failed compare-exchange counts as a write */                              \
  X(atomics_are_plain)        /* atomic accesses race with each other */                                     \
  X(whole_cells)              /* accesses widen to whole cells */                                            \
  X(whole_granules)           /* accesses widen to whole granules */                                         \
  X(drop_last_byte)           /* ranges lose their last byte */                                              \
  X(skip_free)                /* a free is not an access */                                                  \
  X(widen_to_blocks)          /* accesses of 100 bytes and more widen to whole blocks */                     \
  X(forget_whole_blocks)      /* an allocation forgets the whole blocks that it touches */                   \
  X(forget_whole_granules)    /* and so do those of granules */                                              \
  X(skip_forget)              /* an allocation keeps the old history */                                      \
  X(keep_known_readers)       /* sets of readers are still known in the next epoch */                        \
  X(keep_set_memos)           /* and so is which set follows which */                                        \
  X(log_nothing)              /* a release does not know that something was accessed */                      \
  X(sweep_skips_a_thread)     /* a sweep does not ask what one of the threads has */                         \
  X(reuse_unseen_tid)         /* a tid is used again by a creator that has not seen its end */

// Whether bytes are checked at once, or wait in their thread. The others are deliberate mistakes.
enum class Bytes : u8 {
  AtOnce,
  Wait,
  AreLost,          // what waits is never checked
  WaitForTicksOnly, // a thread learns before it has settled
  AreWhole,         // what waits is taken for all of its granule
};

enum class Fault : u8 {
  None,
#define X(name) name,
  FOOTRACE_DRIVER_FAULTS(X)
#undef X
};
const std::vector<std::string_view>& fault_names(); // without None
std::optional<Fault> fault_of(std::string_view name);

// One byte that a check found racing.
struct FoundByte {
  u64 address;
  u32 previous_thread; // of the trace
  AccessKind previous_kind;
};

AccessKind access_kind_of(EventKind kind);

class FastTrackDriver {
public:
  explicit FastTrackDriver(Fault fault = Fault::None, Bytes bytes = Bytes::AtOnce);
  ~FastTrackDriver();
  FastTrackDriver(const FastTrackDriver&) = delete;

  // The bytes that race at this event, in the order in which they were told.
  const std::vector<FoundByte>& append(const Event& e);
  // At the end: what still waits is checked. The bytes that race.
  const std::vector<FoundByte>& finish();
  u64 gathered() const { return gathered_; }
  u64 quick() const { return quick_; }
  // How often each access rule was applied so far.
  void add_rule_counts(u64 (&counts)[kAccessRules]) const;
  void add_transition_counts(u64 (&counts)[kTransitions]) const;

private:
  struct SimThread {
    std::unique_ptr<ThreadState> state; // once ended, taken over by the next thread with its tid
    Frame frame = {};
    bool ended = false;
    Clock last; // C_t at the end
  };
  struct LockClocks {
    Clock L, readers;
  };
  struct TidUse {
    u64 start;
    u32 thread;
  };

  SimThread& thread(u32 number);
  void start(SimThread& t, u32 number, Tid tid, u64 clock);
  void start_child(SimThread& parent, u32 number);
  void end(SimThread& t);
  void synchronize(SimThread& t, const Event& e);
  void atomic(SimThread& t, const Event& e);
  void allocate(ThreadState& t, uptr begin, u64 size);
  void check(SimThread& thread, const Event& e);
  bool is_seen(ThreadState& t, uptr begin, uptr end, bool write);
  bool is_seen_in_line(ThreadState& t, uptr begin, uptr end, bool write);
  bool is_checked_quickly(SimThread& thread, uptr begin, uptr end, bool write, Site site);
  void check_row(SimThread& thread, uptr begin, uptr end, bool write, Site site);
  void check_cells(ThreadState& t, uptr begin, uptr end, bool write);
  void check_bytes(ThreadState& t, uptr begin, uptr end, bool write);
  void settle(ThreadState& t);
  void sweep();
  void forget_atomics(u64 address, u64 size);
  void check_blocks() const; // their invariant holds after every event
  static void collect(void* self, const fasttrack::Conflict& conflict);

  Fault fault_;
  Bytes bytes_;
  u64 gathered_ = 0; // accesses that had to wait
  u64 quick_ = 0;    // that needed no general step
  u64 events_ = 0;
  std::map<u32, std::unique_ptr<SimThread>> threads_;
  std::unordered_map<u64, LockClocks> locks_;
  std::unordered_map<u64, Clock> volatiles_;
  std::map<std::pair<u64, u64>, Clock> generations_;
  std::map<u64, Clock> atomics_;
  std::unordered_map<Tid, std::vector<TidUse>> tid_uses_;
  std::vector<SimThread*> reusable_; // ended, with a state to take over
  std::vector<FoundByte> found_;
};

} // namespace footrace::property
