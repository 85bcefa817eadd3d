// Memory begins a new life: malloc, mmap, a new thread's stack.
#pragma once

#include "check/step.h"

namespace footrace::fasttrack {

// Forget everything about the range. Null: a thread that nobody knows.
void forget(ThreadState* t, uptr address, u64 size);

// The same for memory that the thread allocates. Accesses that are ordered before it may stay: whoever is ordered after the allocation is
// ordered after them, and whoever is not races with them, in whichever life of the memory they were. False: nothing was forgotten.
bool forget_unordered(ThreadState& t, uptr address, u64 size);

// Stands for all threads that nobody knows. It has parts of the pools, as every thread.
ThreadState& state_of_nobody();

} // namespace footrace::fasttrack
