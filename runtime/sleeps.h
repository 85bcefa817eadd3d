// "As if synchronised by sleep": what the other threads had done by the end of a thread's last sleep. A race with one of those accesses was perhaps thought to
// be ordered by the sleep; reports say so. (After ThreadSanitizer, which has the same hint.)
#pragma once

#include "runtime/thread.h"

namespace footrace {

// At the end of a sleep, not inside a critical section. `pc`: where the thread calls from.
FR_COLD void thread_has_slept(Thread* t, uptr pc);

// Where the thread slept after the access, made in that epoch, had been made or at least begun; 0: it did not, or nobody knows. Inside a critical section.
ContextId slept_after(const Thread* t, Epoch previous);

} // namespace footrace
