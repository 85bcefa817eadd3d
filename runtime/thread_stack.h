// Where the stack and the static TLS of the calling thread lie.
#pragma once

#include "runtime/thread.h"

namespace footrace {

// glibc asks malloc for this, so it comes before t_self is set.
void find_stack(Thread* t);
// The same for the first thread, where glibc would use stdio. Also measures the static TLS of all threads.
void find_main_stack(Thread* t);

} // namespace footrace
