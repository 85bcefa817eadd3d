// The registry of threads: who is alive, which tid names whom, and FastTrack's fork and join between them.
//
// Tids are dense, because vector clocks grow with the largest one. The tid of a finished thread u is given to
// a new thread when its creator t has seen all of u (C_t(u) >= u's final clock); the newcomer then starts at
// the next clock, and every comparison with an epoch of that tid has the answer it would have had with a
// fresh tid: precise. When there is no such tid and no free one, epochs are renumbered (runtime/renumbering.h). Concurrency: one spin lock for everything here; taken inside a Critical section and
// before any lock of the clocks. fork takes it first (registry_lock).
#pragma once

#include "runtime/thread.h"

#include <pthread.h>

namespace footrace {

// What the creator hands to the new thread. Lives until the thread has finished.
struct ThreadStart {
  void* routine;
  void* argument;
  u64 signal_mask; // to restore, if restore_mask
  bool restore_mask;
  u32 registered; // futex: 1 once pthread_join can find the thread
};

// Called once, by the thread that starts the runtime. It becomes T0.
Thread* start_main_thread();

// [FT FORK]. Null when there is no tid left (more than 8,000 live threads); a message says so. `pc` is where the creator
// calls from.
Thread* create_child(Thread* parent, uptr pc);
ThreadStart& start_info(Thread* t);
// The operating system refused to make the thread.
void abandon_child(Thread* child);
// From here on the handle names the child. Done by the creator before the child runs.
void register_handle(Thread* child, pthread_t handle, bool detached);
// First thing on the new thread: its stack and TLS are fresh memory, and its end will be noticed.
void start_on_this_thread(Thread* t);
// Last thing on a thread. Its final clock waits for the joiner; nothing of it is checked afterwards.
void finish(Thread* t);

// A thread that somebody made behind our back (a raw clone, a library that bypasses the executable's symbols,
// SIGEV_THREAD). Nobody knows what its creator had done by then, so everything that has happened so far
// counts as ordered before it: that can lose races with its first accesses and never gives a false alarm.
// Null if this thread has finished or is starting.
Thread* attach_foreign_thread();

// Pins the thread that `handle` names while the caller waits for it: once the system has reaped it, the same
// handle may name another one.
struct JoinTicket {
  pthread_t handle;
  u32 number; // of the thread
  bool found;
};
JoinTicket begin_join(pthread_t handle, uptr pc = 0); // `pc`: where the caller calls from
void end_join(Thread* parent, JoinTicket ticket);     // [FT JOIN]
void give_up_join(JoinTicket ticket);
// Called before the real detach: afterwards the handle may name another thread.
void detach(pthread_t handle);
void set_name(pthread_t handle, const char* name);

// Cancellation of the asynchronous type: who wants it, and a signal to the thread if it does.
void set_asynchronous(Thread* t, bool asynchronous);
void interrupt_asynchronous(pthread_t handle, int signo);

// The thread goes on under another tid: its clock is nearly used up. If there is none, it asks for a renumbering, at the end of its critical section.
constexpr u64 kRenewalClock = kMaxClock - 1024;
FR_COLD void renew_tid(Thread* t);
FR_INLINE void renew_tid_if_needed(Thread* t) {
  if (FR_UNLIKELY(t->C.own >= kRenewalClock)) renew_tid(t);
}

// Whose epoch it is; null if so many threads have used the tid since that it is forgotten.
ThreadRecord* thread_record(Epoch epoch);

void registry_lock();
void registry_unlock();
// Calls fn(context, thread) for every live thread. The registry is locked by the caller.
void visit_threads_locked(void (*fn)(void* context, Thread* t), void* context);
template <class Fn> void for_each_thread_locked(Fn fn) {
  visit_threads_locked([](void* f, Thread* t) { (*static_cast<Fn*>(f))(t); }, &fn);
}
template <class Fn> void for_each_thread(Fn fn) {
  Critical critical(self());
  registry_lock();
  for_each_thread_locked(fn);
  registry_unlock();
}
// While the world is stopped: threads that have ended without our notice leave the registry.
void retire_the_dead();
// In the child of fork, after resume_world: only `me` is left. What the others did before the fork is in the
// child's copy of the memory and cannot go on, so it is ordered before what follows.
void after_fork_child(Thread* me);

// Waits until every thread but `me` is outside its critical sections and keeps them there; returns with the
// registry locked. Not to be called inside a critical section. A thread that stays inside for `patience_ms`
// is left where it is, with a warning: better a doubtful fork than a program that hangs. False then.
bool stop_world(Thread* me, i64 patience_ms = 10'000);
void resume_world();

// Keeps every signal from this thread for a moment; gives the mask to restore.
u64 block_signals();
void restore_signals(u64 mask);

// For tests and --stats.
struct RegistryCounts {
  u64 created, live, tids;
};
RegistryCounts registry_counts();

} // namespace footrace
