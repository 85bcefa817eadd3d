// One instrumented thread: FastTrack's ThreadState plus what the runtime keeps beside it.
// Concurrency: a Thread is changed only by its own thread, except where a comment says otherwise.
#pragma once

#include "base/platform.h"
#include "check/rules.h"
#include "runtime/context.h"

namespace footrace {

struct SyncObject;

// What __footrace_atomic_begin remembers for its end.
struct AtomicScope {
  SyncObject* object = nullptr; // locked
  uptr address = 0;
  u64 size = 0;
  Site site = 0;
};

// An atomic location that the thread has accessed in its current epoch. Another ThreadState::version: nothing is known.
struct AtomicMemo {
  uptr address;
  u64 version;
  u32 read, written; // bytes
};

// What a thread has learned last from another one, and through which object: of those that one thread alone had released.
struct Heard {
  uptr object;
  Epoch from; // all of it and before
};

// What other threads had done by the end of the thread's last sleep (runtime/sleeps.h).
struct LastSleep {
  static constexpr u32 kMost = 64; // of more nobody knows
  ContextId where;
  u32 count;
  Epoch seen[kMost];
};

// What reports need to know about a thread after it has gone. A tid keeps its most recent records.
struct ThreadRecord {
  Tid tid;
  u32 number;              // T0 is main; counts creations
  u32 parent_number;       // ~0u: none
  u32 creation;            // context (runtime/context.h) of the create call; 0 unknown
  u64 first_clock;         // epochs of this tid from here on belong to this record
  u32 joiner_number = ~0u; // who waits for its end, or has joined it; ~0u: nobody
  u32 join;                // context of the joining call
  int os_id;
  bool finished;
  bool joined;
  bool is_used; // for who looks for those that are not any more
  char name[16];
  ThreadRecord* older;   // previous user of the same tid
  ThreadRecord* earlier; // of the same thread, under the tid that it had before; or of another one
};

// Conflicts that were found and not yet reported. They are here and not on the stack, which may be a small signal stack or be left by
// a longjmp before the report.
struct FoundConflict {
  uptr address; // of the access that found it
  u64 size;
  AccessKind kind;
  Site site;
  Epoch epoch; // of an access that waited for its check (check/waiting_bytes.h); none: it is being made now
  fasttrack::Conflict conflict;
  u32 ticket = 0; // of log_seek
};
struct FoundConflicts {
  static constexpr u32 kMost = 64, kNested = 4;
  u32 count = 0;
  u32 under_way = 0;         // reports: a signal handler may find and report more in the middle of one
  FoundConflict list[kMost]; // uninitialised
  FoundConflict reported[kNested];
};

// Where the thread's recording has come to (runtime/recording.h).
struct RingHeader;
struct ThreadRecording {
  RingHeader* ring = nullptr;
  u64 at = 0, end = 0;       // next entry of the ring, and where there is no more room
  LogEntry* taken = nullptr; // up to here; null: nothing of the log's newer segment
  bool is_over = false;
  // If every access is recorded.
  static constexpr u32 kNoPlace = ~0u;
  u32 index = 0, place = kNoPlace; // of the next entry, and of the last place
  ContextId context = 0;           // there
};

// Thread::pending
constexpr u32 kPendingSignals = 1; // set by the signal trampoline; runtime/signals.cpp delivers
constexpr u32 kPendingReports = 2; // of what Thread::found holds
constexpr u32 kPendingRenumbering =
    4; // the clock is used up soon, and no tid is free (runtime/renumbering.h)

void settle_own_bytes(ThreadState& t); // runtime/access.cpp
void tell_own_late_write(ThreadState& t, uptr address, u32 size, Word before);

// What every step looks at, beside the first fields of ThreadState.
struct alignas(64) Entrance {
  u32 critical = 0; // > 0: inside the runtime; see Critical
  u32 ignore = 0;   // > 0: accesses are not checked (inside the runtime's own calls into libc)
  u32 pending = 0;  // set while critical: what is to be done at its end
  Context context;  // shadow call stack, locks held
};

struct Thread : Entrance, ThreadState {
  Thread() {
    settle = settle_own_bytes;
    tell_late_write = tell_own_late_write;
  }
  AtomicScope atomic;
  static constexpr u32 kAtomicMemos = 32;
  AtomicMemo atomic_memo[kAtomicMemos] = {};
  ThreadRecord* record = nullptr;
  uptr stack_low = 0, stack_high = 0; // of the OS thread, TLS block included
  uptr tls_low = 0, tls_high = 0;
  bool detached = false;
  FoundConflicts found;
  static constexpr u32 kHeard = 16;
  Heard heard[kHeard] = {}; // by slot of the other thread
  ThreadRecording recording;
  LastSleep last_sleep = {};
  Thread* next = nullptr; // registry list, under the registry's lock
};

// The calling thread; null before the runtime has started and after the thread's teardown. Entry points and
// interceptors must then do the plain operation only.
extern __thread Thread* t_self
    __attribute__((visibility("hidden"), tls_model("local-exec"))); // the runtime is in the executable
FR_INLINE Thread* self() { return t_self; }

// A stretch of runtime code that holds the runtime's locks. Signals that arrive are put off until its end,
// and fork waits for it. Nests. Never call anything that can block on the user's program inside one.
extern u32 g_stop_world; // set while somebody stops the world (runtime/threads.cpp)
extern u32 g_critical_slow __attribute__((
    visibility("hidden"))); // entering needs more than the flag: the world stops, or there is no remote fence
extern u32 g_sync_slow __attribute__((visibility(
    "hidden"))); // the same for enter_at_once; and for as long as the run is recorded (runtime/recording.h)
void wait_for_world(Thread* t); // fences, and parks while the world is stopped (critical is 0 meanwhile)
void deliver_pending_signals(Thread* t);
FR_COLD void after_critical(Thread* t); // does what is pending

// The same for who has no Thread (yet, or any more): they are only counted, and signals are not put off.
extern u32 g_critical_without_thread;
extern __thread u32 t_critical_without_thread __attribute__((visibility("hidden"))); // nesting
FR_COLD void critical_enter_without_thread();
FR_COLD void critical_leave_without_thread();

FR_INLINE void critical_enter(Thread* t) {
  if (t->critical++) return;
  __atomic_signal_fence(__ATOMIC_SEQ_CST); // whoever stops the world fences for us (remote_fence)
  if (FR_UNLIKELY(__atomic_load_n(&g_critical_slow, __ATOMIC_RELAXED))) wait_for_world(t);
}
FR_INLINE void critical_leave(Thread* t) {
  __atomic_store_n(&t->critical, t->critical - 1, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST); // a signal that came before the store has set pending
  if (FR_UNLIKELY(t->pending && !t->critical)) after_critical(t);
}

// The same for code that calls nothing, not inside another one. False: the other way must be taken. Who leaves looks at `pending` afterwards.
FR_INLINE bool enter_at_once(Thread* t) {
  if (FR_UNLIKELY(t->critical)) return false;
  t->critical = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (FR_LIKELY(!__atomic_load_n(&g_sync_slow, __ATOMIC_RELAXED))) return true;
  __atomic_store_n(&t->critical, 0, __ATOMIC_RELEASE);
  return false;
}
FR_INLINE void leave_at_once(Thread* t) {
  __atomic_store_n(&t->critical, 0, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

class Critical {
public:
  explicit Critical(Thread* t) : t_(t) {
    if (FR_LIKELY(t_))
      critical_enter(t_);
    else
      critical_enter_without_thread();
  }
  ~Critical() {
    if (FR_LIKELY(t_))
      critical_leave(t_);
    else
      critical_leave_without_thread();
  }
  Critical(const Critical&) = delete;

private:
  Thread* t_;
};

} // namespace footrace
