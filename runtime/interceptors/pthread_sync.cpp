// Condition variables, barriers, semaphores and once. Signalling a condition variable orders nothing (the
// mutex does), but it needs the object to be there.
#include "runtime/channels.h"
#include "runtime/interceptors/caller.h"
#include "runtime/interceptors/sync_calls.h"

#include <semaphore.h>

using namespace footrace;

// glibc keeps condition variables of before 2.3.2 under the same names, and a plain dlsym finds those first.
#define FR_REAL_CONDITION(name)                                                                              \
  (FR_LIKELY(real_##name)                                                                                    \
       ? real_##name                                                                                         \
       : (real_##name = reinterpret_cast<name##_type>(real_function(#name, "GLIBC_2.3.2"))))

FR_INTERCEPTOR(int, pthread_cond_wait, pthread_cond_t* c, pthread_mutex_t* m) {
  auto real = FR_REAL_CONDITION(pthread_cond_wait);
  return condition_wait(syncing_thread(), m, FR_CALLER_PC(), [=] { return real(c, m); });
}
FR_INTERCEPTOR(int, pthread_cond_timedwait, pthread_cond_t* c, pthread_mutex_t* m, const timespec* deadline) {
  auto real = FR_REAL_CONDITION(pthread_cond_timedwait);
  return condition_wait(syncing_thread(), m, FR_CALLER_PC(), [=] { return real(c, m, deadline); });
}
FR_INTERCEPTOR(int, pthread_cond_clockwait, pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock,
               const timespec* deadline) {
  auto real = FR_REAL(pthread_cond_clockwait);
  return condition_wait(syncing_thread(), m, FR_CALLER_PC(), [=] { return real(c, m, clock, deadline); });
}

// A signal after the unlock that lets the waiter free the object is a common error. Only the first byte is judged: it
// stands for the object, which is freed as a whole.
namespace {
void check_signalled(Caller caller, const void* condition) {
  if (Thread* t = checked_caller(caller)) check_atomic_read(t, caller, condition, 1);
}
} // namespace
FR_INTERCEPTOR(int, pthread_cond_signal, pthread_cond_t* c) {
  check_signalled(FR_CALLER(), c);
  return FR_REAL_CONDITION(pthread_cond_signal)(c);
}
FR_INTERCEPTOR(int, pthread_cond_broadcast, pthread_cond_t* c) {
  check_signalled(FR_CALLER(), c);
  return FR_REAL_CONDITION(pthread_cond_broadcast)(c);
}
// libstdc++ calls the two from code that is not instrumented. Replaced rather than wrapped: a program in C has nothing
// to wrap. The condition variable is the first member (std::condition_variable, libstdc++ ABI).
FR_REPLACEMENT(void, _ZNSt18condition_variable10notify_oneEv, void* c) {
  check_signalled({FR_CALLER_PC(), "notify_one"}, c);
  FR_REAL_CONDITION(pthread_cond_signal)(static_cast<pthread_cond_t*>(c));
}
FR_REPLACEMENT(void, _ZNSt18condition_variable10notify_allEv, void* c) {
  check_signalled({FR_CALLER_PC(), "notify_all"}, c);
  FR_REAL_CONDITION(pthread_cond_broadcast)(static_cast<pthread_cond_t*>(c));
}

FR_INTERCEPTOR(int, pthread_barrier_init, pthread_barrier_t* b, const pthread_barrierattr_t* attributes,
               unsigned count) {
  int result = FR_REAL(pthread_barrier_init)(b, attributes, count);
  if (!result && syncing_thread()) sync_barrier_init(reinterpret_cast<uptr>(b), count);
  return result;
}
FR_INTERCEPTOR(int, pthread_barrier_destroy, pthread_barrier_t* b) {
  int result = FR_REAL(pthread_barrier_destroy)(b);
  if (!result) sync_forget(reinterpret_cast<uptr>(b), sizeof *b);
  return result;
}
FR_INTERCEPTOR(int, pthread_barrier_wait, pthread_barrier_t* b) {
  Thread* t = syncing_thread();
  auto real = FR_REAL(pthread_barrier_wait);
  if (!t) return real(b);
  BarrierRound* round = sync_barrier_arrive(t, reinterpret_cast<uptr>(b));
  int result = real(b);
  sync_barrier_leave(t, round); // the barrier may be gone
  return result;
}

namespace {
// Of other processes as well: glibc keeps it behind the value, 0 for those of one process.
bool is_shared(const sem_t* s) { return reinterpret_cast<const int*>(s)[2] != 0; }

int semaphore_taken(Thread* t, sem_t* s, int result) {
  if (!t || result) return result;
  if (is_shared(s)) outside_acquire(t);
  sync_read_volatile(t, reinterpret_cast<uptr>(s));
  return result;
}
} // namespace

FR_INTERCEPTOR(int, sem_init, sem_t* s, int shared, unsigned value) {
  sync_forget(reinterpret_cast<uptr>(s), sizeof *s);
  return FR_REAL(sem_init)(s, shared, value);
}
FR_INTERCEPTOR(int, sem_destroy, sem_t* s) {
  int result = FR_REAL(sem_destroy)(s);
  if (!result) sync_forget(reinterpret_cast<uptr>(s), sizeof *s);
  return result;
}
FR_INTERCEPTOR(int, sem_wait, sem_t* s) {
  Thread* t = syncing_thread();
  return semaphore_taken(t, s, FR_REAL(sem_wait)(s));
}
FR_INTERCEPTOR(int, sem_trywait, sem_t* s) {
  Thread* t = syncing_thread();
  return semaphore_taken(t, s, FR_REAL(sem_trywait)(s));
}
FR_INTERCEPTOR(int, sem_timedwait, sem_t* s, const timespec* deadline) {
  Thread* t = syncing_thread();
  return semaphore_taken(t, s, FR_REAL(sem_timedwait)(s, deadline));
}
FR_INTERCEPTOR(int, sem_clockwait, sem_t* s, clockid_t clock, const timespec* deadline) {
  Thread* t = syncing_thread();
  return semaphore_taken(t, s, FR_REAL(sem_clockwait)(s, clock, deadline));
}
FR_INTERCEPTOR(int, sem_post, sem_t* s) {
  auto real = FR_REAL(sem_post);
  if (Thread* t = syncing_thread()) {
    if (is_shared(s)) outside_release(t);
    sync_write_volatile(t, reinterpret_cast<uptr>(s));
  }
  return real(s);
}

FR_INTERCEPTOR(int, pthread_once, pthread_once_t* control, void (*routine)()) {
  auto real = FR_REAL(pthread_once);
  return call_once_with(syncing_thread(), control, routine,
                        [=](void (*run)()) { return real(control, run); });
}
