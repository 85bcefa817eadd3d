// fork in a program with many threads: the child has one thread, a copy of the memory, and goes on being
// checked.
#pragma once

#include "base/types.h"

namespace footrace {

// Called once at start-up, before the program can register fork handlers of its own.
void watch_forks();
// For a fork that runs no fork handlers.
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

// False in a child of vfork or of a raw clone: it may share memory with the process that the runtime belongs
// to.
bool is_own_process();

} // namespace footrace
