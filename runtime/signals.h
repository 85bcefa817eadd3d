// Signal handlers of the program. Each is installed behind a trampoline, because a signal may arrive while
// its thread is inside the runtime (Thread::critical > 0) and holds the runtime's locks.
#pragma once

#include "base/platform.h"
#include "clocks/vector_clock.h"

#include <signal.h>

namespace footrace {

using SigactionFunction = int (*)(int, const struct sigaction*, struct sigaction*);

// sigaction as the program means it; `real` is the C library's.
int install_handler(SigactionFunction real, int signo, const struct sigaction* wanted, struct sigaction* old);

struct Thread;
// Before a signal is sent from inside the process, and when a wait has taken one.
void signal_sent(Thread* t, int signo);
void signal_taken(Thread* t, int signo);

// While the world is stopped.
void visit_signal_clocks(void (*fn)(void*, Clock&), void* argument);

// Around fork (runtime/fork.cpp).
void signals_lock_all();
void signals_unlock_all();

} // namespace footrace
