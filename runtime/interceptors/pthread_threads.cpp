// Threads of pthread. pthread_exit and cancellation need no interceptor: both end in the destructors of
// thread-specific data, where the registry learns of a thread's end (runtime/threads.cpp).
#include "runtime/interceptors/sync_calls.h"

using namespace footrace;

// It is at the bottom of every stack; reports know by the prefix of the name that it is ours.
extern "C" __attribute__((visibility("hidden"))) void* __footrace_pthread_entry(void* thread) {
  ThreadStart start = enter_thread(thread);
  return reinterpret_cast<void* (*)(void*)>(start.routine)(start.argument);
}

namespace {

// What the runtime may need of a thread's stack beside the program's own frames: a report at the bottom of a small signal handler is the most.
constexpr size_t kOurStack = 64 << 10;

// A copy of the attributes with room for us; null stays null where the usual size is ample. A stack that the program provides stays as it is. The copy
// shares what the original points to, and is therefore neither changed otherwise nor destroyed.
class RaisedAttributes {
public:
  explicit RaisedAttributes(const pthread_attr_t* asked) : use_(asked) {
    constexpr size_t kAmple = 1 << 20;
    void* low = nullptr;
    size_t size = 0;
    if (asked)
      copy_ = *asked;
    else if (pthread_attr_init(&copy_))
      return;
    const bool is_provided = !pthread_attr_getstack(&copy_, &low, &size) && uptr(low) + size; // it has an end
    if (is_provided || pthread_attr_getstacksize(&copy_, &size) || size >= kAmple) return;
    if (!pthread_attr_setstacksize(&copy_, size + kOurStack)) use_ = &copy_;
  }
  const pthread_attr_t* get() const { return use_; }

private:
  pthread_attr_t copy_;
  const pthread_attr_t* use_;
};

} // namespace

FR_INTERCEPTOR(int, pthread_create, pthread_t* handle, const pthread_attr_t* attributes,
               void* (*routine)(void*), void* argument) {
  Thread* parent = syncing_thread();
  if (!parent) return FR_REAL(pthread_create)(handle, attributes, routine, argument);
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &state);
  auto real = FR_REAL(pthread_create);
  NewThread child;
  if (!prepare_thread(child, parent, FR_CALLER_PC(), reinterpret_cast<void*>(routine), argument, attributes))
    return EAGAIN;
  int result = real(handle, RaisedAttributes(attributes).get(), __footrace_pthread_entry, child.thread);
  if (result)
    thread_refused(child);
  else
    thread_made(child, *handle, state == PTHREAD_CREATE_DETACHED);
  return result;
}

FR_INTERCEPTOR(int, pthread_join, pthread_t handle, void** value) {
  auto real = FR_REAL(pthread_join);
  return join_with(syncing_thread(), handle, FR_CALLER_PC(), [=] { return real(handle, value); });
}
FR_INTERCEPTOR(int, pthread_tryjoin_np, pthread_t handle, void** value) {
  auto real = FR_REAL(pthread_tryjoin_np);
  return join_with(syncing_thread(), handle, FR_CALLER_PC(), [=] { return real(handle, value); });
}
FR_INTERCEPTOR(int, pthread_timedjoin_np, pthread_t handle, void** value, const timespec* deadline) {
  auto real = FR_REAL(pthread_timedjoin_np);
  return join_with(syncing_thread(), handle, FR_CALLER_PC(), [=] { return real(handle, value, deadline); });
}
FR_INTERCEPTOR(int, pthread_clockjoin_np, pthread_t handle, void** value, clockid_t clock,
               const timespec* deadline) {
  auto real = FR_REAL(pthread_clockjoin_np);
  return join_with(syncing_thread(), handle, FR_CALLER_PC(),
                   [=] { return real(handle, value, clock, deadline); });
}

FR_INTERCEPTOR(int, pthread_detach, pthread_t handle) {
  auto real = FR_REAL(pthread_detach);
  footrace::detach(handle);
  return real(handle);
}

FR_INTERCEPTOR(int, pthread_setname_np, pthread_t handle, const char* name) {
  int result = FR_REAL(pthread_setname_np)(handle, name);
  if (!result) set_name(handle, name);
  return result;
}
