#include "runtime/sweeping.h"

#include "runtime/mappings.h"
#include "runtime/threads.h"

namespace footrace {

void sweep_now(Thread* me) {
  if (me->critical || me->ignore) return; // later
  const u64 mask = block_signals();       // a handler would wait for the world that we stop
  // Who has swept meanwhile has done it for us. A thread that cannot be stopped may be inside a step: then nothing is freed.
  if (stop_world(me) && sweep_is_due()) {
    retire_the_dead(); // whose words in line may be gone
    Sweep sweep;
    visit_threads_locked([](void* s, Thread* t) { static_cast<Sweep*>(s)->visit(*t); }, &sweep);
    for_shadowed_memory([&sweep](uptr begin, uptr end) { sweep.visit_memory(begin, end); });
    sweep.finish();
  }
  resume_world();
  restore_signals(mask);
}

} // namespace footrace
