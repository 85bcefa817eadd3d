// Programs that define malloc themselves: what the C and C++ library allocate for them comes from there, and so does what our functions allocate in
// the library's place, since the program's free is going to get it.
#pragma once

#include "runtime/heap.h"

// Weak, or the compiler would take two names for two functions.
extern "C" {
void* __footrace_interceptor_malloc(size_t);
void* __footrace_program_malloc(size_t) __asm__("malloc")
    __attribute__((weak)); // the interceptor, or the program's own
void __footrace_interceptor_free(void*);
void __footrace_program_free(void*) __asm__("free") __attribute__((weak));
}

namespace footrace {

// The program's free ends in ours, which it has asked the dynamic loader for: then our blocks can be given to it. Before it asks, there are none.
extern bool g_frees_with_us __attribute__((visibility("hidden")));

FR_INLINE bool has_own_malloc() { return &__footrace_program_malloc != &__footrace_interceptor_malloc; }

// What our own functions allocate must be the C library's, as it is.
FR_INLINE bool must_be_plain() { return FR_UNLIKELY(has_own_malloc()) && !g_frees_with_us; }

// What the caller gives to free.
FR_INLINE void* allocate_for_free(Caller caller, u64 size) {
  return has_own_malloc() ? __footrace_program_malloc(size) : heap_allocate(caller, size);
}

} // namespace footrace
