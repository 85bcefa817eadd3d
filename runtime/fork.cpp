// Problem: at fork, other threads may be inside the runtime; the child would inherit their locks and
// half-done updates.
//
// Algorithm: stop the world (runtime/threads.h), so that everybody is outside and stays there, also threads
// without a Thread (being torn down, or not yet known). Then take the locks that somebody may hold whom the world
// did not wait for.
//
// These are the first fork handlers of the process: the program's own prepare handlers run before the world
// stops, its parent and child handlers after it goes on. posix_spawn and vfork run no handlers and need none.
#include "runtime/fork.h"

#include "clocks/vector_clock.h"
#include "runtime/access.h"
#include "runtime/channels.h"
#include "runtime/heap.h"
#include "runtime/recording.h"
#include "runtime/report.h"
#include "runtime/signals.h"
#include "runtime/sync.h"
#include "runtime/threads.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

extern "C" int __register_atfork(void (*)(), void (*)(), void (*)(), void*) noexcept;

namespace footrace {

u32 g_stop_world;
u32 g_critical_slow;
u32 g_sync_slow;
u32 g_critical_without_thread;
__thread u32 t_critical_without_thread;

namespace {

i64 g_process;

// Outermost first. A pool that is locked while another one is held comes after it. stop_world locks the
// registry.
struct Locks {
  void (*take)();
  void (*release)();
};
constexpr Locks kLocks[] = {
    {signals_lock_all, signals_unlock_all},
    {channels_lock_all, channels_unlock_all},
    {heap_lock_all, heap_unlock_all},
    {sync_pool_lock_all, sync_pool_unlock_all},
    {clock_pool_lock_all, clock_pool_unlock_all},
    {log_lock_all, log_unlock_all},
};

void release_all() {
  for (u64 i = sizeof kLocks / sizeof *kLocks; i-- > 0;) kLocks[i].release();
  resume_world();
}

} // namespace

// The forking thread is in a critical section from before to after: its signals wait too.
void before_fork() {
  Thread* me = self();
  if (me && me->waiting.used) { // once, not in both processes
    Critical critical(me);
    settle_waiting(me, me);
  }
  u64 mask = block_signals(); // a handler would wait for the world that we stop
  stop_world(me);
  if (me) ++me->critical; // not critical_enter, for the same reason
  restore_signals(mask);
  for (const Locks& l : kLocks) l.take();
}

void after_fork_in_parent() {
  release_all();
  sys(SYS_futex, u64(&g_stop_world), FUTEX_WAKE_PRIVATE, 0x7fffffff);
  if (Thread* me = self()) critical_leave(me);
}

void after_fork_in_child() {
  g_process = sys(SYS_getpid);
  release_all();
  g_critical_without_thread = t_critical_without_thread ? 1 : 0; // the others are not here
  Thread* me = self();
  recording_before_child();
  if (me) after_fork_child(me);
  recording_in_child();
  report_after_fork();
  if (me) critical_leave(me);
}

namespace {
void wait_while_stopped() {
  while (__atomic_load_n(&g_stop_world, __ATOMIC_ACQUIRE)) {
    timespec most = {0, 1'000'000}; // whoever stops the world for a moment only does not wake us
    sys(SYS_futex, u64(&g_stop_world), FUTEX_WAIT_PRIVATE, 1, u64(&most));
  }
}
} // namespace

void critical_enter_without_thread() {
  if (t_critical_without_thread++) return;
  for (;;) {
    __atomic_fetch_add(&g_critical_without_thread, 1, __ATOMIC_SEQ_CST);
    if (FR_LIKELY(!__atomic_load_n(&g_stop_world, __ATOMIC_SEQ_CST))) return;
    __atomic_fetch_sub(&g_critical_without_thread, 1, __ATOMIC_RELEASE);
    wait_while_stopped();
  }
}
void critical_leave_without_thread() {
  if (!--t_critical_without_thread) __atomic_fetch_sub(&g_critical_without_thread, 1, __ATOMIC_RELEASE);
}

void wait_for_world(Thread* t) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  while (FR_UNLIKELY(__atomic_load_n(&g_stop_world, __ATOMIC_RELAXED))) {
    __atomic_store_n(&t->critical, 0, __ATOMIC_RELEASE);
    if (t->pending & kPendingSignals) deliver_pending_signals(t); // a handler may be what the world waits for
    wait_while_stopped();
    t->critical = 1;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

bool is_own_process() { return !g_process || g_process == sys(SYS_getpid); }

void watch_forks() {
  g_process = sys(SYS_getpid);
  __register_atfork(before_fork, after_fork_in_parent, after_fork_in_child, nullptr);
}

} // namespace footrace
