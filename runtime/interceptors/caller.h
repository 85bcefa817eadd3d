// Who called the interceptor, and whether what it does on that caller's behalf is judged.
#pragma once

#include "runtime/interception.h"
#include "runtime/runtime.h"

namespace footrace {

// The thread to check for; null when nothing is to be checked: the runtime is not up, this thread is being
// torn down, or the caller is not instrumented.
FR_INLINE Thread* checked_caller(Caller caller) {
  Thread* t = self();
  return t && !t->ignore && is_instrumented_code(caller.pc) ? t : nullptr;
}

} // namespace footrace

// The caller of the FR_INTERCEPTOR or FR_REPLACEMENT whose body this is.
#define FR_CALLER() (footrace::Caller{FR_CALLER_PC(), __func__ + sizeof("__footrace_interceptor_") - 1})
