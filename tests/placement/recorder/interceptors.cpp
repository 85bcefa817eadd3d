// Synchronisation, threads, allocation and ends of the process. What is missing here only makes the validator milder: spans get longer.
// A call that fails makes no event. Signalling a condition variable orders nothing.
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

using namespace footrace;
using namespace footrace::validation;

namespace {

template <class Function> Function* real(Function*& cache, const char* name) {
  Function* found = __atomic_load_n(&cache, __ATOMIC_RELAXED);
  if (!found) {
    found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
    if (!found) abort();
    __atomic_store_n(&cache, found, __ATOMIC_RELAXED);
  }
  return found;
}

struct Start {
  void* (*routine)(void*);
  void* argument;
};
pthread_key_t g_end_key;
__attribute__((constructor(101))) void make_key() {
  pthread_key_create(&g_end_key, [](void*) { record_end(); });
}

void* run_thread(void* raw) {
  Start start = *static_cast<Start*>(raw);
  free(raw);
  pthread_setspecific(g_end_key, &g_end_key); // its destructor also runs after pthread_exit and cancellation
  record_acquire("start of thread");
  return start.routine(start.argument);
}

} // namespace

#define FR_PARAMETERS(...) __VA_ARGS__
#define FR_REAL(name) real(cache_##name, #name)
#define FR_DECLARE_REAL(result, name, parameters) static result(*cache_##name) parameters;

// acquires when it returns 0
#define FR_ACQUIRES(name, parameters, arguments)                                                             \
  FR_DECLARE_REAL(int, name, parameters)                                                                     \
  extern "C" int name parameters {                                                                           \
    int result = FR_REAL(name) arguments;                                                                    \
    if (result == 0) record_acquire(#name);                                                                  \
    return result;                                                                                           \
  }
#define FR_RELEASES(name, parameters, arguments)                                                             \
  FR_DECLARE_REAL(int, name, parameters)                                                                     \
  extern "C" int name parameters {                                                                           \
    record_release(#name);                                                                                   \
    return FR_REAL(name) arguments;                                                                          \
  }
// releases, waits, acquires
#define FR_BOTH(result_type, name, parameters, arguments)                                                    \
  FR_DECLARE_REAL(result_type, name, parameters)                                                             \
  extern "C" result_type name parameters {                                                                   \
    record_release(#name);                                                                                   \
    result_type result = FR_REAL(name) arguments;                                                            \
    record_acquire(#name);                                                                                   \
    return result;                                                                                           \
  }

FR_ACQUIRES(pthread_mutex_lock, (pthread_mutex_t * m), (m))
FR_ACQUIRES(pthread_mutex_trylock, (pthread_mutex_t * m), (m))
FR_ACQUIRES(pthread_mutex_timedlock, (pthread_mutex_t * m, const timespec* t), (m, t))
FR_RELEASES(pthread_mutex_unlock, (pthread_mutex_t * m), (m))
FR_ACQUIRES(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))
FR_ACQUIRES(pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))
FR_ACQUIRES(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))
FR_ACQUIRES(pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))
FR_RELEASES(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))
FR_ACQUIRES(pthread_spin_lock, (pthread_spinlock_t * l), (l))
FR_ACQUIRES(pthread_spin_trylock, (pthread_spinlock_t * l), (l))
FR_RELEASES(pthread_spin_unlock, (pthread_spinlock_t * l), (l))
FR_ACQUIRES(sem_wait, (sem_t * s), (s))
FR_ACQUIRES(sem_trywait, (sem_t * s), (s))
FR_RELEASES(sem_post, (sem_t * s), (s))
FR_ACQUIRES(pthread_join, (pthread_t t, void** value), (t, value))
FR_ACQUIRES(mtx_lock, (mtx_t * m), (m))
FR_ACQUIRES(mtx_trylock, (mtx_t * m), (m))
FR_RELEASES(mtx_unlock, (mtx_t * m), (m))
FR_ACQUIRES(thrd_join, (thrd_t t, int* value), (t, value))

FR_BOTH(int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t* m), (c, m))
FR_BOTH(int, pthread_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t* m, const timespec* t), (c, m, t))
FR_BOTH(int, pthread_barrier_wait, (pthread_barrier_t * b), (b))
FR_BOTH(int, pthread_once, (pthread_once_t * control, void (*routine)()), (control, routine))
FR_BOTH(int, cnd_wait, (cnd_t * c, mtx_t* m), (c, m))
FR_BOTH(int, cnd_timedwait, (cnd_t * c, mtx_t* m, const timespec* t), (c, m, t))

// The first one to come initialises: it has acquired nothing that it could not have had before, but a later one has.
FR_DECLARE_REAL(int, __cxa_guard_acquire, (void*))
extern "C" int __cxa_guard_acquire(void* guard) {
  int result = FR_REAL(__cxa_guard_acquire)(guard);
  record_acquire("__cxa_guard_acquire");
  return result;
}
FR_DECLARE_REAL(void, __cxa_guard_release, (void*))
extern "C" void __cxa_guard_release(void* guard) {
  record_release("__cxa_guard_release");
  FR_REAL(__cxa_guard_release)(guard);
}

FR_DECLARE_REAL(int, pthread_create, (pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))
extern "C" int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*),
                              void* argument) {
  auto* start = static_cast<Start*>(malloc(sizeof(Start)));
  if (!start) return ENOMEM;
  *start = {routine, argument};
  record_release("pthread_create");
  int result = FR_REAL(pthread_create)(handle, attributes, run_thread, start);
  if (result) free(start);
  return result;
}

#define FR_ENDS(name)                                                                                        \
  FR_DECLARE_REAL(void, name, (int))                                                                         \
  extern "C" void name(int status) {                                                                         \
    record_end();                                                                                            \
    FR_REAL(name)(status);                                                                                   \
    __builtin_unreachable();                                                                                 \
  }
FR_ENDS(_exit)
FR_ENDS(_Exit)
FR_ENDS(quick_exit)
FR_DECLARE_REAL(void, abort, ())
extern "C" void abort() {
  record_end();
  FR_REAL(abort)();
  __builtin_unreachable();
}

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

static void* born(void* block) {
  record_forget(block, malloc_usable_size(block));
  return block;
}
extern "C" void* malloc(size_t size) { return born(__libc_malloc(size)); }
extern "C" void* calloc(size_t count, size_t size) { return born(__libc_calloc(count, size)); }
extern "C" void* memalign(size_t alignment, size_t size) { return born(__libc_memalign(alignment, size)); }
extern "C" void* aligned_alloc(size_t alignment, size_t size) {
  return born(__libc_memalign(alignment, size));
}
extern "C" int posix_memalign(void** block, size_t alignment, size_t size) {
  *block = born(__libc_memalign(alignment, size));
  return *block ? 0 : ENOMEM;
}
extern "C" void* realloc(void* old, size_t size) {
  record_forget(old, malloc_usable_size(old));
  return born(__libc_realloc(old, size));
}
extern "C" void free(void* block) {
  record_forget(block, malloc_usable_size(block));
  __libc_free(block);
}
