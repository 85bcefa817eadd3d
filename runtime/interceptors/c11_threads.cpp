// <threads.h>. glibc builds these on pthread without going through its public functions, so they are
// intercepted one by one; thrd_t, mtx_t and cnd_t have the layout of their pthread twins there.
#include "runtime/interceptors/sync_calls.h"

// C++ has no <threads.h>; this is glibc's, in types that clash with nothing.
namespace {
struct Mtx {
  pthread_mutex_t mutex;
};
struct Cnd {
  pthread_cond_t condition;
};
constexpr int kSuccess = 0, kError = 2; // thrd_success, thrd_error
} // namespace

using namespace footrace;

extern "C" __attribute__((visibility("hidden"))) int __footrace_c11_entry(void* thread) {
  ThreadStart start = enter_thread(thread);
  return reinterpret_cast<int (*)(void*)>(start.routine)(start.argument);
}

FR_INTERCEPTOR(int, thrd_create, pthread_t* handle, int (*routine)(void*), void* argument) {
  auto real = FR_REAL(thrd_create);
  Thread* parent = syncing_thread();
  if (!parent) return real(handle, routine, argument);
  NewThread child;
  if (!prepare_thread(child, parent, FR_CALLER_PC(), reinterpret_cast<void*>(routine), argument, nullptr))
    return kError;
  int result = real(handle, __footrace_c11_entry, child.thread);
  if (result != kSuccess)
    thread_refused(child);
  else
    thread_made(child, *handle, false);
  return result;
}
FR_INTERCEPTOR(int, thrd_join, pthread_t handle, int* value) {
  auto real = FR_REAL(thrd_join);
  return join_with(syncing_thread(), handle, FR_CALLER_PC(), [=] { return real(handle, value); });
}
FR_INTERCEPTOR(int, thrd_detach, pthread_t handle) {
  auto real = FR_REAL(thrd_detach);
  footrace::detach(handle);
  return real(handle);
}

FR_INTERCEPTOR(int, mtx_init, Mtx* m, int type) {
  sync_forget(reinterpret_cast<uptr>(m), sizeof *m);
  return FR_REAL(mtx_init)(m, type);
}
FR_INTERCEPTOR(void, mtx_destroy, Mtx* m) {
  FR_REAL(mtx_destroy)(m);
  sync_forget(reinterpret_cast<uptr>(m), sizeof *m);
}
FR_INTERCEPTOR(int, mtx_lock, Mtx* m) {
  Thread* t = syncing_thread();
  return exclusive_lock(t, m, FR_REAL(mtx_lock)(m), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, mtx_trylock, Mtx* m) {
  Thread* t = syncing_thread();
  return exclusive_lock(t, m, FR_REAL(mtx_trylock)(m), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, mtx_timedlock, Mtx* m, const timespec* deadline) {
  Thread* t = syncing_thread();
  return exclusive_lock(t, m, FR_REAL(mtx_timedlock)(m, deadline), FR_CALLER_PC());
}
FR_INTERCEPTOR(int, mtx_unlock, Mtx* m) {
  mutex_releasing(syncing_thread(), &m->mutex);
  return FR_REAL(mtx_unlock)(m);
}

FR_INTERCEPTOR(int, cnd_wait, Cnd* c, Mtx* m) {
  auto real = FR_REAL(cnd_wait);
  return condition_wait(syncing_thread(), &m->mutex, FR_CALLER_PC(), [=] { return real(c, m); });
}
FR_INTERCEPTOR(int, cnd_timedwait, Cnd* c, Mtx* m, const timespec* deadline) {
  auto real = FR_REAL(cnd_timedwait);
  return condition_wait(syncing_thread(), &m->mutex, FR_CALLER_PC(), [=] { return real(c, m, deadline); });
}

FR_INTERCEPTOR(void, call_once, pthread_once_t* control, void (*routine)()) {
  auto real = FR_REAL(call_once);
  call_once_with(syncing_thread(), control, routine, [=](void (*run)()) {
    real(control, run);
    return 0;
  });
}
