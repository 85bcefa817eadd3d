// Mutexes, read-write locks and spin locks: [FT ACQUIRE] after the real lock has succeeded, [FT RELEASE]
// before the real unlock. A call that fails makes no edge.
#include "runtime/interceptors/sync_calls.h"

using namespace footrace;

namespace {
// EOWNERDEAD: a robust mutex whose owner died; the caller holds it.
int mutex_locked(Thread* t, pthread_mutex_t* m, int result, uptr pc) {
  if (t && (!result || result == EOWNERDEAD))
    lock_acquired(t, reinterpret_cast<uptr>(m), LockMode::Exclusive, pc);
  return result;
}
int read_locked(Thread* t, pthread_rwlock_t* l, int result, uptr pc) {
  if (t && !result) lock_acquired(t, reinterpret_cast<uptr>(l), LockMode::Shared, pc);
  return result;
}
// Which way the caller holds it. A lock taken before the runtime was up is not in the list; then glibc knows.
LockMode mode_held(Thread* t, pthread_rwlock_t* l) {
  const Context& c = t->context;
  for (u32 i = c.held_count; i-- > 0;)
    if (c.held[i].address == reinterpret_cast<uptr>(l)) return c.held[i].mode;
  return __atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED) == t->record->os_id ? LockMode::Exclusive
                                                                                        : LockMode::Shared;
}
template <class Object> void forget(const volatile Object* object) {
  sync_forget(reinterpret_cast<uptr>(object), sizeof(Object));
}
} // namespace

FR_INTERCEPTOR(int, pthread_mutex_init, pthread_mutex_t* m, const pthread_mutexattr_t* attributes) {
  forget(m);
  return FR_REAL(pthread_mutex_init)(m, attributes);
}
FR_INTERCEPTOR(int, pthread_mutex_destroy, pthread_mutex_t* m) {
  int result = FR_REAL(pthread_mutex_destroy)(m);
  if (!result) forget(m);
  return result;
}
FR_INTERCEPTOR(int, pthread_mutex_lock, pthread_mutex_t* m) {
  Thread* t = syncing_thread();
  return mutex_locked(t, m, FR_REAL(pthread_mutex_lock)(m), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_mutex_trylock, pthread_mutex_t* m) {
  Thread* t = syncing_thread();
  return mutex_locked(t, m, FR_REAL(pthread_mutex_trylock)(m), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_mutex_timedlock, pthread_mutex_t* m, const timespec* deadline) {
  Thread* t = syncing_thread();
  return mutex_locked(t, m, FR_REAL(pthread_mutex_timedlock)(m, deadline), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_mutex_clocklock, pthread_mutex_t* m, clockid_t clock, const timespec* deadline) {
  Thread* t = syncing_thread();
  return mutex_locked(t, m, FR_REAL(pthread_mutex_clocklock)(m, clock, deadline), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_mutex_unlock, pthread_mutex_t* m) {
  mutex_releasing(syncing_thread(), m);
  return FR_REAL(pthread_mutex_unlock)(m);
}

FR_INTERCEPTOR(int, pthread_rwlock_init, pthread_rwlock_t* l, const pthread_rwlockattr_t* attributes) {
  forget(l);
  return FR_REAL(pthread_rwlock_init)(l, attributes);
}
FR_INTERCEPTOR(int, pthread_rwlock_destroy, pthread_rwlock_t* l) {
  int result = FR_REAL(pthread_rwlock_destroy)(l);
  if (!result) forget(l);
  return result;
}
FR_INTERCEPTOR(int, pthread_rwlock_rdlock, pthread_rwlock_t* l) {
  Thread* t = syncing_thread();
  return read_locked(t, l, FR_REAL(pthread_rwlock_rdlock)(l), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_rwlock_tryrdlock, pthread_rwlock_t* l) {
  Thread* t = syncing_thread();
  return read_locked(t, l, FR_REAL(pthread_rwlock_tryrdlock)(l), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_rwlock_timedrdlock, pthread_rwlock_t* l, const timespec* deadline) {
  Thread* t = syncing_thread();
  return read_locked(t, l, FR_REAL(pthread_rwlock_timedrdlock)(l, deadline), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_rwlock_clockrdlock, pthread_rwlock_t* l, clockid_t clock,
               const timespec* deadline) {
  Thread* t = syncing_thread();
  return read_locked(t, l, FR_REAL(pthread_rwlock_clockrdlock)(l, clock, deadline), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_rwlock_wrlock, pthread_rwlock_t* l) {
  Thread* t = syncing_thread();
  return exclusive_lock(t, l, FR_REAL(pthread_rwlock_wrlock)(l), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_rwlock_trywrlock, pthread_rwlock_t* l) {
  Thread* t = syncing_thread();
  return exclusive_lock(t, l, FR_REAL(pthread_rwlock_trywrlock)(l), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_rwlock_timedwrlock, pthread_rwlock_t* l, const timespec* deadline) {
  Thread* t = syncing_thread();
  return exclusive_lock(t, l, FR_REAL(pthread_rwlock_timedwrlock)(l, deadline), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_rwlock_clockwrlock, pthread_rwlock_t* l, clockid_t clock,
               const timespec* deadline) {
  Thread* t = syncing_thread();
  return exclusive_lock(t, l, FR_REAL(pthread_rwlock_clockwrlock)(l, clock, deadline), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_rwlock_unlock, pthread_rwlock_t* l) {
  if (Thread* t = syncing_thread()) lock_releasing(t, reinterpret_cast<uptr>(l), mode_held(t, l));
  return FR_REAL(pthread_rwlock_unlock)(l);
}

FR_INTERCEPTOR(int, pthread_spin_init, pthread_spinlock_t* l, int shared) {
  forget(l);
  return FR_REAL(pthread_spin_init)(l, shared);
}
FR_INTERCEPTOR(int, pthread_spin_destroy, pthread_spinlock_t* l) {
  forget(l);
  return FR_REAL(pthread_spin_destroy)(l);
}
FR_INTERCEPTOR(int, pthread_spin_lock, pthread_spinlock_t* l) {
  Thread* t = syncing_thread();
  return exclusive_lock(t, l, FR_REAL(pthread_spin_lock)(l), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_spin_trylock, pthread_spinlock_t* l) {
  Thread* t = syncing_thread();
  return exclusive_lock(t, l, FR_REAL(pthread_spin_trylock)(l), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, pthread_spin_unlock, pthread_spinlock_t* l) {
  if (Thread* t = syncing_thread()) lock_releasing(t, reinterpret_cast<uptr>(l), LockMode::Exclusive);
  return FR_REAL(pthread_spin_unlock)(l);
}
