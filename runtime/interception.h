// How library functions are replaced: the runtime is part of the executable and its weak definitions come
// first in the dynamic symbol order; the real function is looked up with dlsym(RTLD_NEXT). A program that
// defines the function itself wins.
//
//   FR_INTERCEPTOR(int, pthread_mutex_lock, pthread_mutex_t* m) {
//     int result = FR_REAL(pthread_mutex_lock)(m);
//     ...
//   }
#pragma once

#include "base/types.h"

namespace footrace {
// Looks the symbol up once and ends the process with a clear message when it does not exist.
void* real_function(const char* name, const char* version = nullptr);
// Null when this libc does not have it.
void* real_function_or_null(const char* name, const char* version = nullptr);

// Every FR_INTERCEPTOR puts itself on this list, so that start-up can look all of them up: later, the first
// use may be in a signal handler or inside the dynamic loader, where dlsym is not safe.
struct RealFunction {
  const char* name;
  void* slot; // void**: real_<name>
};
void resolve_real_functions();

// All that are replaced, by name.
struct ReplacedFunction {
  const char* name;
  void* interceptor;
};
void* interceptor_of(const char* name); // null: none
using DynamicLookup = void* (*)(void* library, const char* name);
DynamicLookup real_dlsym(); // `dlsym` itself is intercepted
} // namespace footrace

#define FR_EXPORT extern "C" __attribute__((visibility("default"), used))

#define FR_INTERCEPTOR(ret, name, ...)                                                                       \
  typedef ret (*name##_type)(__VA_ARGS__);                                                                   \
  static name##_type real_##name;                                                                            \
  __attribute__((used,                                                                                       \
                 section("footrace_real"))) static const ::footrace::RealFunction real_entry_##name = {      \
      #name, &real_##name};                                                                                  \
  FR_REPLACEMENT(ret, name, __VA_ARGS__)

// The same for a function that never calls the one it replaces.
#define FR_REPLACEMENT(ret, name, ...)                                                                       \
  FR_EXPORT ret __footrace_interceptor_##name(__VA_ARGS__);                                                  \
  extern "C" __attribute__((visibility("default"), weak, alias("__footrace_interceptor_" #name))) ret        \
      __footrace_alias_##name(__VA_ARGS__) __asm__(#name);                                                   \
  __attribute__((used, section("footrace_replaced"))) static const ::footrace::ReplacedFunction              \
      replaced_entry_##name = {#name, reinterpret_cast<void*>(&__footrace_interceptor_##name)};              \
  ret __footrace_interceptor_##name(__VA_ARGS__)

// The real function; resolved on first use.
#define FR_REAL(name)                                                                                        \
  (FR_LIKELY(real_##name) ? real_##name                                                                      \
                          : (real_##name = reinterpret_cast<name##_type>(::footrace::real_function(#name))))
