// What the interceptors of pthread, C11 and C++ synchronisation share.
#pragma once

#include "runtime/interception.h"
#include "runtime/runtime.h"
#include "runtime/threads.h"

#include <errno.h>
#include <pthread.h>

namespace footrace {

FR_COLD Thread* unknown_caller();

// Whose edges a synchronisation call makes, whether the caller is instrumented or its accesses are ignored:
// what it orders is ordered. Null: do the plain call.
FR_INLINE Thread* syncing_thread() {
  Thread* t = self();
  return FR_LIKELY(t != nullptr) ? t : unknown_caller();
}

// After the real lock and before the real unlock. In between nobody else can be inside.
void lock_acquired(Thread* t, uptr address, LockMode mode, uptr pc);
void lock_releasing(Thread* t, uptr address, LockMode mode);

template <class Lock> int exclusive_lock(Thread* t, Lock* lock, int result, uptr pc) {
  if (t && !result) lock_acquired(t, reinterpret_cast<uptr>(lock), LockMode::Exclusive, pc);
  return result;
}

// The kinds of mutex that know their owner refuse an unlock by anybody else; then there is no edge.
inline bool must_refuse_unlock(Thread* t, pthread_mutex_t* m) {
  constexpr int kNoOwnerCheck = PTHREAD_MUTEX_NORMAL, kKindBits = 0x7f;
  int kind = __atomic_load_n(&m->__data.__kind, __ATOMIC_RELAXED) & kKindBits;
  return kind != kNoOwnerCheck && kind != PTHREAD_MUTEX_ADAPTIVE_NP &&
         __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED) != t->record->os_id;
}
inline void mutex_releasing(Thread* t, pthread_mutex_t* m) {
  if (t && !must_refuse_unlock(t, m)) lock_releasing(t, reinterpret_cast<uptr>(m), LockMode::Exclusive);
}

// Runs call(argument); if the thread is cancelled inside, on_cancel(argument) runs before the user's cleanup
// handlers.
int call_cancellable(int (*call)(void*), void (*on_cancel)(void*), void* argument);
template <class Call, class OnCancel> int cancellable(Call call, OnCancel on_cancel) {
  struct Both {
    Call& call;
    OnCancel& on_cancel;
  } both{call, on_cancel};
  return call_cancellable([](void* b) { return static_cast<Both*>(b)->call(); },
                          [](void* b) { static_cast<Both*>(b)->on_cancel(); }, &both);
}

// A wait on a condition variable releases the mutex and holds it again whenever it comes back: woken, timed
// out, refused or cancelled. Only a robust mutex that cannot be recovered stays lost.
template <class Wait> int condition_wait(Thread* t, pthread_mutex_t* m, uptr pc, Wait wait) {
  if (!t || must_refuse_unlock(t, m)) return wait();
  uptr address = reinterpret_cast<uptr>(m);
  lock_releasing(t, address, LockMode::Exclusive);
  auto acquired = [&] { lock_acquired(t, address, LockMode::Exclusive, pc); };
  int result = cancellable(wait, acquired);
  if (result != ENOTRECOVERABLE) acquired();
  return result;
}

// once: the real function gets run_once_routine, which finds here what to run. A routine that throws or is
// cancelled makes no edge, and the flag stays undone.
struct OnceCall {
  void (*routine)();
  uptr control;
};
extern __thread OnceCall t_once __attribute__((visibility("hidden")));
void run_once_routine();
template <class Once> int call_once_with(Thread* t, void* control, void (*routine)(), Once once) {
  if (!t) return once(routine);
  t_once = {routine, reinterpret_cast<uptr>(control)};
  int result = once(run_once_routine);
  if (!result) sync_read_volatile(t, reinterpret_cast<uptr>(control));
  return result;
}

// Thread creation. `entry` is what the real function starts; it gets the Thread and calls enter_thread first.
ThreadStart enter_thread(void* thread);
struct NewThread {
  Thread* thread;
  u64 mask;
};
bool prepare_thread(NewThread& n, Thread* parent, uptr pc, void* routine, void* argument,
                    const pthread_attr_t* attributes);
void thread_made(NewThread& n, pthread_t handle, bool detached);
void thread_refused(NewThread& n);

// Joining: real() returns 0 when the thread is gone.
template <class Join> int join_with(Thread* t, pthread_t handle, uptr pc, Join real) {
  JoinTicket ticket = begin_join(handle, pc);
  int result = cancellable(real, [&] { give_up_join(ticket); });
  if (result)
    give_up_join(ticket);
  else
    end_join(t, ticket);
  return result;
}

} // namespace footrace
