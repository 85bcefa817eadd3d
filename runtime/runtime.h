// What interceptors may ask of the runtime. One include for runtime/interceptors/*.
#pragma once

#include "abi/site.h"
#include "runtime/sync.h"
#include "runtime/thread.h"

namespace footrace {

// Starts the runtime once (options, shadow, main thread). Safe to call early and often; false while starting.
bool ensure_started();

// True if the address lies in a module that was instrumented. Interceptors of memory functions check the
// caller: code we cannot see may order its accesses in ways that we cannot see either, so what it does is not
// judged (docs/assumptions.md).
struct CodeRange {
  uptr begin, size;
};
extern CodeRange g_main_code
    __attribute__((visibility("hidden"))); // the executable, which also holds the runtime
bool is_module_code(uptr pc);
FR_INLINE bool is_instrumented_code(uptr pc) {
  return FR_LIKELY(pc - g_main_code.begin < g_main_code.size) || is_module_code(pc);
}

// Who calls an intercepted function, and its name for the report (static storage).
struct Caller {
  uptr pc;
  const char* function;
};

// Checks made by interceptors on behalf of their caller.
void check_read(Thread* t, Caller caller, const void* address, u64 size);
void check_write(Thread* t, Caller caller, const void* address, u64 size);
// An access that synchronises inside the library: conflicts with plain writes and with free.
void check_atomic_read(Thread* t, Caller caller, const void* address, u64 size);
// free, delete, munmap: conflicts with every access.
void check_free(Thread* t, Caller caller, uptr address, u64 size);
// Fresh memory: no history, no synchronisation objects.
void memory_fresh(uptr address, u64 size);
// Memory gives its shadow back (large blocks, unmapped ranges, finished stacks).
void memory_gone(uptr address, u64 size);

#define FR_CALLER_PC() (reinterpret_cast<footrace::uptr>(__builtin_return_address(0)))

} // namespace footrace
