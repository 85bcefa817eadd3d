// dlsym(RTLD_NEXT, name) asked by the executable: "the function that mine stands in front of". A program that wraps malloc or pthread_mutex_lock in a
// definition of its own finds the real one so. Behind its definition ours comes before the library's: the memory is known to the heap, and the lock
// orders.
#include "runtime/interception.h"
#include "runtime/interceptors/own_malloc.h"
#include "runtime/runtime.h"

#include <dlfcn.h>

using namespace footrace;

FR_REPLACEMENT(void*, dlsym, void* library, const char* name) {
  const bool is_executable = FR_CALLER_PC() - g_main_code.begin < g_main_code.size ||
                             !g_main_code.size; // not known while the runtime begins
  if (library == RTLD_NEXT && name && is_executable)
    if (void* ours = interceptor_of(name)) {
      if (ours == reinterpret_cast<void*>(&__footrace_interceptor_free)) g_frees_with_us = true;
      return ours;
    }
  auto real = real_dlsym();
  [[clang::musttail]] return real(library, name); // it asks who has called
}
