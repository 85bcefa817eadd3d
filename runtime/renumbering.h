// When epochs are renumbered (check/renumbering.h): a thread's clock is nearly used up, or a thread begins, and no tid is free. Then the world stops, and all that
// has epochs is looked at: memory, threads, synchronisation objects, tokens, finished threads, logs, reports under way.
#pragma once

#include "runtime/thread.h"

namespace footrace {

// At the end of its critical section, the thread has asked for it (kPendingRenumbering).
FR_COLD void renumber_for(Thread* me);

// Not inside a critical section. False: no tid is free afterwards, because so many threads are alive; a message says so.
FR_COLD bool renumber_for_thread(Thread* me);

// The same while the world is stopped. `moving` may go back in its tid: its clock is nearly used up, and it is the caller.
bool renumber_stopped_world(Thread* moving);

u64 renumberings(); // so far

} // namespace footrace
