#include "runtime/interceptors/sync_calls.h"

#include "runtime/interceptors/call_then.h"
#include "runtime/lock_sets.h"
#include "runtime/recording.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>

namespace footrace {

__thread OnceCall t_once;

Thread* unknown_caller() {
  if (!ensure_started()) return nullptr;
  return self() ? self() : attach_foreign_thread();
}

// Both are mostly done at once: without a call, and so without registers to save.
namespace {

FR_NOINLINE void lock_acquired_slowly(Thread* t, uptr address, LockMode mode, uptr pc) {
  Critical critical(t);
  record_lock(t, mode == LockMode::Exclusive ? EventKind::Acquire : EventKind::AcquireShared, address, pc);
  if (mode == LockMode::Exclusive)
    sync_acquire(t, address);
  else
    sync_acquire_shared(t, address);
  lock_taken(t, address, mode, pc);
}

FR_NOINLINE void lock_releasing_slowly(Thread* t, uptr address, LockMode mode) {
  Critical critical(t);
  record_lock(t, mode == LockMode::Exclusive ? EventKind::Release : EventKind::ReleaseShared, address, 0);
  if (mode == LockMode::Exclusive)
    sync_release(t, address);
  else
    sync_release_shared(t, address);
  lock_dropped(t, address);
}

} // namespace

void lock_acquired(Thread* t, uptr address, LockMode mode, uptr pc) {
  if (FR_LIKELY(mode == LockMode::Exclusive && enter_at_once(t))) {
    const SyncObject* known = sync_find(address);
    const bool done = covers_release(t, known) && (!known || !known->has_readers) &&
                      lock_taken_at_once(t, address, mode, pc);
    leave_at_once(t);
    if (FR_LIKELY(done & !t->pending)) return;
    if (done) return after_critical(t);
  }
  lock_acquired_slowly(t, address, mode, pc);
}

void lock_releasing(Thread* t, uptr address, LockMode mode) {
  if (FR_LIKELY(mode == LockMode::Exclusive && !t->waiting.used && t->C.own < kRenewalClock - 1 &&
                enter_at_once(t))) {
    SyncObject* known = sync_find(address);
    const bool done = is_released_again(t, known) && lock_dropped_at_once(t, address);
    if (done) fasttrack::release_again(*t, known->L);
    leave_at_once(t);
    if (FR_LIKELY(done & !t->pending)) return;
    if (done) return after_critical(t);
  }
  lock_releasing_slowly(t, address, mode);
}

// Alone in a function, since it returns twice: pthread_cleanup_push is a setjmp here, which needs no unwinder
// of ours.
FR_NOINLINE int call_cancellable(int (*call)(void*), void (*on_cancel)(void*), void* argument) {
  int result;
  pthread_cleanup_push(on_cancel, argument);
  result = call(argument);
  pthread_cleanup_pop(0);
  return result;
}

// An execution that ends by an exception is ordered before the next one, as is one that returns
// ([thread.once.callonce]).
void run_once_routine() {
  OnceCall mine = t_once; // the routine may use other flags
  if (Thread* t = self()) sync_read_volatile(t, mine.control);
  auto release = [](void* control) {
    if (Thread* t = self()) sync_write_volatile(t, reinterpret_cast<uptr>(control));
  };
  footrace_call_then(mine.routine, release, reinterpret_cast<void*>(mine.control));
}

bool prepare_thread(NewThread& n, Thread* parent, uptr pc, void* routine, void* argument,
                    const pthread_attr_t* attributes) {
  n.thread = create_child(parent, pc);
  if (!n.thread) return false;
  // A handler that ran on the new thread before it is known would be taken for a foreign one.
  n.mask = block_signals();
  sigset_t chosen;
  bool has_own_mask = attributes && !pthread_attr_getsigmask_np(attributes, &chosen);
  start_info(n.thread) = {routine, argument, n.mask, !has_own_mask, 0};
  return true;
}

void thread_made(NewThread& n, pthread_t handle, bool detached) {
  u32* registered = &start_info(n.thread).registered; // the thread may be over as soon as it is told
  register_handle(n.thread, handle, detached);
  __atomic_store_n(registered, 1, __ATOMIC_RELEASE);
  sys(SYS_futex, u64(registered), FUTEX_WAKE_PRIVATE, 1);
  restore_signals(n.mask);
}

void thread_refused(NewThread& n) {
  abandon_child(n.thread);
  restore_signals(n.mask);
}

ThreadStart enter_thread(void* thread) {
  Thread* t = static_cast<Thread*>(thread);
  ThreadStart& start = start_info(t);
  while (!__atomic_load_n(&start.registered, __ATOMIC_ACQUIRE))
    sys(SYS_futex, u64(&start.registered), FUTEX_WAIT_PRIVATE, 0, 0);
  ThreadStart mine = start;
  start_on_this_thread(t);
  if (mine.restore_mask) restore_signals(mine.signal_mask);
  return mine;
}

} // namespace footrace
