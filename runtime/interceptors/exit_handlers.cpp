// Functions that run when the process ends. What a thread has done before it registers one is ordered before the function, whichever
// thread it runs on: the C library keeps its list under a lock. Nothing else is ordered by it, so each registration is an object of its own.
// atexit and destructors of static variables come here as __cxa_atexit.
#include "runtime/arena.h"
#include "runtime/interceptors/sync_calls.h"
#include "runtime/recording.h"

using namespace footrace;

namespace {

template <class Function> struct Handler {
  Function function;
  void* argument;
};

template <class Function> Handler<Function>* registered(Thread* t, Function function, void* argument) {
  auto* handler = static_cast<Handler<Function>*>(arena_allocate(sizeof(Handler<Function>)));
  *handler = {function, argument};
  record(t, EventKind::VolatileWrite, annotation_variable(reinterpret_cast<uptr>(handler)));
  sync_release(t, reinterpret_cast<uptr>(handler));
  return handler;
}

template <class Function> Handler<Function>& begun(void* raw) {
  if (Thread* t = syncing_thread()) {
    sync_acquire(t, reinterpret_cast<uptr>(raw));
    record(t, EventKind::VolatileRead, annotation_variable(reinterpret_cast<uptr>(raw)));
  }
  return *static_cast<Handler<Function>*>(raw);
}

using AtExit = void (*)(void*);
using OnExit = void (*)(int, void*);

void at_exit(void* raw) {
  const Handler<AtExit>& handler = begun<AtExit>(raw);
  handler.function(handler.argument);
}
void on_exit_with(int status, void* raw) {
  const Handler<OnExit>& handler = begun<OnExit>(raw);
  handler.function(status, handler.argument);
}

} // namespace

FR_INTERCEPTOR(int, __cxa_atexit, void (*function)(void*), void* argument, void* module) {
  auto real = FR_REAL(__cxa_atexit);
  Thread* t = syncing_thread();
  return t ? real(at_exit, registered(t, function, argument), module) : real(function, argument, module);
}
FR_INTERCEPTOR(int, on_exit, void (*function)(int, void*), void* argument) {
  auto real = FR_REAL(on_exit);
  Thread* t = syncing_thread();
  return t ? real(on_exit_with, registered(t, function, argument)) : real(function, argument);
}
