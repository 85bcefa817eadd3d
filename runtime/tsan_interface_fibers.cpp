// Fibers of <sanitizer/tsan_interface.h>. A fiber runs as the thread that runs it. What it has of its own is its
// program order, which must follow it from thread to thread, and its shadow call stack.
//
// Model: whoever leaves a fiber releases into its token, whoever enters one acquires from it, and its creator
// releases first. Fibers that share a thread are ordered by that thread, so __tsan_switch_to_fiber_no_sync has
// nothing to take away (docs/assumptions.md).
//
// As for ThreadSanitizer, the function that calls __tsan_switch_to_fiber must be the one that then switches.
// Concurrency: a fiber is entered by one thread at a time; the lists have a lock.
#include "runtime/tsan_interface_fibers.h"

#include "runtime/arena.h"
#include "runtime/interception.h"
#include "runtime/runtime.h"
#include "runtime/sync.h"

#define FR_FIBER FR_EXPORT __attribute__((weak))

namespace footrace {
namespace {

// As for a thread with a stack of 256 kB; deeper frames are not pushed.
constexpr u64 kFrameBytes = 256 << 10;

struct Fiber {
  SyncToken token;
  Frame* base; // what Context has of it while it runs
  Frame* top;
  Frame* limit;
  Frame* own;    // recycled with the fiber; null for the fiber that a thread starts as
  Frame outside; // below the outermost frame, if there is no memory for frames of its own
  Fiber* next_free;
  Fiber* next_made;
};

__thread Fiber* t_fiber; // null: the one that the thread started as, and nobody has asked for it
Fiber* g_free;
Fiber* g_made; // all that there ever were
SpinLock g_free_lock;

Fiber* make_fiber(Thread* t) {
  Critical critical(t);
  {
    SpinGuard guard(g_free_lock);
    if (Fiber* fiber = g_free) {
      g_free = fiber->next_free;
      return fiber;
    }
  }
  Fiber* fiber = static_cast<Fiber*>(arena_allocate(sizeof(Fiber)));
  SpinGuard guard(g_free_lock);
  fiber->next_made = g_made;
  return g_made = fiber;
}

Fiber* current_fiber(Thread* t) {
  if (!t_fiber) t_fiber = make_fiber(t);
  return t_fiber;
}

} // namespace

void visit_fiber_clocks(void (*fn)(void*, Clock&), void* argument) {
  for (Fiber* fiber = g_made; fiber; fiber = fiber->next_made) fn(argument, fiber->token.L);
}

FR_FIBER void* __tsan_get_current_fiber() {
  Thread* t = self();
  return t ? current_fiber(t) : nullptr;
}

FR_FIBER void* __tsan_create_fiber(unsigned) {
  Thread* t = self();
  if (!t) return nullptr;
  Fiber* fiber = make_fiber(t);
  if (!fiber->own) fiber->own = reinterpret_cast<Frame*>(map_memory(kFrameBytes));
  Frame* below = fiber->own ? fiber->own : &fiber->outside;
  *below = {};
  fiber->base = fiber->top = fiber->limit = below + 1;
  if (fiber->own) fiber->limit = fiber->own + kFrameBytes / sizeof(Frame);
  token_release(t, fiber->token);
  return fiber;
}

FR_FIBER void __tsan_destroy_fiber(void* opaque) {
  Thread* t = self();
  Fiber* fiber = static_cast<Fiber*>(opaque);
  if (!t || !fiber || fiber == t_fiber || !fiber->own) return;
  Critical critical(t);
  fiber->token.L.clear();
  SpinGuard guard(g_free_lock);
  fiber->next_free = g_free;
  g_free = fiber;
}

FR_FIBER void __tsan_switch_to_fiber(void* opaque, unsigned) {
  Thread* t = self();
  Fiber* to = static_cast<Fiber*>(opaque);
  if (!t || !to || to == t_fiber) return;
  Fiber* from = current_fiber(t);
  token_release(t, from->token);
  {
    Critical critical(t);
    Context& c = t->context;
    from->base = c.base, from->top = c.top, from->limit = c.limit;
    c.base = to->base, c.top = to->top, c.limit = to->limit;
    forget_places(c);
    log_begins_era(*t);
    t_fiber = to;
  }
  token_acquire(t, to->token);
}

FR_FIBER void __tsan_set_fiber_name(void*, const char*) {} // reports name threads

} // namespace footrace
