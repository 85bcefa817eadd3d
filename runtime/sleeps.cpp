#include "runtime/sleeps.h"

#include "runtime/threads.h"

namespace footrace {

void thread_has_slept(Thread* t, uptr pc) {
  Critical critical(t);
  LastSleep& last = t->last_sleep;
  last.where = context_through_library(t, pc);
  last.count = 0;
  registry_lock();
  for_each_thread_locked([&](Thread* other) {
    if (other == t || last.count == LastSleep::kMost) return;
    const u64 clock = __atomic_load_n(&other->C.own, __ATOMIC_RELAXED);
    last.seen[last.count++] = make_epoch(other->tid(), clock);
  });
  registry_unlock();
}

ContextId slept_after(const Thread* t, Epoch previous) {
  const LastSleep& last = t->last_sleep;
  for (u32 i = 0; i < last.count; ++i)
    if (tid_of(last.seen[i]) == tid_of(previous) && clock_of(last.seen[i]) >= clock_of(previous))
      return last.where;
  return 0;
}

} // namespace footrace
