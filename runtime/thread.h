// One instrumented thread: FastTrack's ThreadState plus what the runtime keeps beside it.
// Concurrency: a Thread is changed only by its own thread, except where a comment says otherwise.
#pragma once

#include "base/platform.h"
#include "detectors/fasttrack/sync_rules.h"
#include "runtime/context.h"

namespace footrace {

struct SyncObject;

// What __footrace_atomic_begin remembers for its end.
struct AtomicScope {
  SyncObject* object = nullptr; // locked
  uptr address = 0;
  u64 size = 0;
  u32 site = 0;
};

// What reports need to know about a thread after it has gone. Never freed; a tid keeps its most recent
// records.
struct ThreadRecord {
  Tid tid;
  u32 number;        // T0 is main; counts creations
  u32 parent_number; // ~0u: none
  u32 creation;      // context (runtime/context.h) of the create call; 0 unknown
  u64 first_clock;   // epochs of this tid from here on belong to this record
  int os_id;
  bool finished;
  char name[16];
  ThreadRecord* older; // previous user of the same tid
};

struct Thread : fasttrack::ThreadState {
  Context context; // shadow call stack, history, locks held
  AtomicScope atomic;
  ThreadRecord* record = nullptr;
  u32 critical = 0;        // > 0: inside the runtime; see Critical
  u32 pending_signals = 0; // set by the signal trampoline while critical; runtime/signals.cpp delivers
  u32 ignore = 0;          // > 0: accesses are not checked (inside the runtime's own calls into libc)
  uptr stack_low = 0, stack_high = 0; // of the OS thread, TLS block included
  uptr tls_low = 0, tls_high = 0;
  bool detached = false;
  Thread* next = nullptr; // registry list, under the registry's lock
};

// The calling thread; null before the runtime has started and after the thread's teardown. Entry points and
// interceptors must then do the plain operation only.
extern __thread Thread* t_self __attribute__((visibility("hidden")));
FR_INLINE Thread* self() { return t_self; }

// A stretch of runtime code that holds the runtime's locks. Signals that arrive are put off until its end,
// and fork waits for it. Nests. Never call anything that can block on the user's program inside one.
extern u32 g_stop_world;    // set while somebody stops the world (runtime/threads.cpp)
extern u32 g_critical_slow; // entering needs more than the flag: the world stops, or there is no remote fence
void wait_for_world(Thread* t); // fences, and parks while the world is stopped (critical is 0 meanwhile)
void deliver_pending_signals(Thread* t);

FR_INLINE void critical_enter(Thread* t) {
  if (t->critical++) return;
  __atomic_signal_fence(__ATOMIC_SEQ_CST); // whoever stops the world fences for us (remote_fence)
  if (FR_UNLIKELY(__atomic_load_n(&g_critical_slow, __ATOMIC_RELAXED))) wait_for_world(t);
}
FR_INLINE void critical_leave(Thread* t) {
  __atomic_store_n(&t->critical, t->critical - 1, __ATOMIC_RELEASE);
  if (FR_UNLIKELY(t->pending_signals && !t->critical)) deliver_pending_signals(t);
}

class Critical {
public:
  explicit Critical(Thread* t) : t_(t) {
    if (t_) critical_enter(t_);
  }
  ~Critical() {
    if (t_) critical_leave(t_);
  }
  Critical(const Critical&) = delete;

private:
  Thread* t_;
};

} // namespace footrace
