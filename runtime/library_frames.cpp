// A call that reaches us through code that does not keep a shadow stack (std::thread's constructor lies in
// libstdc++.so): the unwinder finds the frames between, up to the first instrumented one, whose callers the
// shadow stack knows. Slow, so only for events that are rare. Programs without an unwinder (C) do without.
#include "runtime/context.h"
#include "runtime/runtime.h"

#include <unwind.h>

extern "C" {
__attribute__((weak)) _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn, void*);
__attribute__((weak)) uintptr_t _Unwind_GetIP(_Unwind_Context*);
}

namespace footrace {
namespace {

struct Walk {
  static constexpr u32 kMost = 32;
  uptr first; // where the library was left
  uptr pcs[kMost];
  u32 count = 0;
  bool is_complete = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* frame, void* opaque) {
  Walk& walk = *static_cast<Walk*>(opaque);
  uptr pc = _Unwind_GetIP(frame);
  if (!walk.count && pc != walk.first) return _URC_NO_REASON; // still inside the runtime
  if (walk.count == Walk::kMost) return _URC_END_OF_STACK;
  walk.pcs[walk.count++] = pc;
  walk.is_complete = is_instrumented_code(pc);
  return walk.is_complete ? _URC_END_OF_STACK : _URC_NO_REASON;
}

} // namespace

ContextId context_through_library(Thread* t, uptr pc) {
  if (is_instrumented_code(pc) || !_Unwind_Backtrace || !_Unwind_GetIP) return context_at(t, pc);
  Walk walk;
  walk.first = pc;
  ++t->ignore;
  _Unwind_Backtrace(visit, &walk);
  --t->ignore;
  if (!walk.is_complete) return context_at(t, pc);
  ContextId context = context_of_callers(t);
  while (walk.count) context = context_below(context, walk.pcs[--walk.count]);
  return context;
}

} // namespace footrace
