#include "runtime/interception.h"

#include "base/platform.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>

extern "C" {
extern const footrace::RealFunction __start_footrace_real[] __attribute__((weak, visibility("hidden")));
extern const footrace::RealFunction __stop_footrace_real[] __attribute__((weak, visibility("hidden")));
extern const footrace::ReplacedFunction __start_footrace_replaced[]
    __attribute__((weak, visibility("hidden")));
extern const footrace::ReplacedFunction __stop_footrace_replaced[]
    __attribute__((weak, visibility("hidden")));
}

namespace footrace {

void* interceptor_of(const char* name) {
  const u64 size = length_of(name) + 1;
  for (const ReplacedFunction* f = __start_footrace_replaced; f != __stop_footrace_replaced; ++f)
    if (!compare_bytes(f->name, name, min(size, length_of(f->name) + 1))) return f->interceptor;
  return nullptr;
}

DynamicLookup real_dlsym() {
  static DynamicLookup found;
  if (FR_UNLIKELY(!found)) {
    void* newest = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    found = reinterpret_cast<DynamicLookup>(newest ? newest : dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  }
  return found;
}

void resolve_real_functions() {
  for (const RealFunction* f = __start_footrace_real; f != __stop_footrace_real; ++f) {
    void** slot = static_cast<void**>(f->slot);
    if (!*slot) *slot = real_function_or_null(f->name);
  }
}

// Functions that glibc also keeps as they once were: dlsym finds the oldest.
static const char* version_of(const char* name) {
  constexpr struct {
    const char *name, *version;
  } kChanged[] = {{"realpath", "GLIBC_2.3"},
                  {"regexec", "GLIBC_2.3.4"},
                  {"glob", "GLIBC_2.27"},
                  {"glob64", "GLIBC_2.27"},
                  {"sched_getaffinity", "GLIBC_2.3.4"},
                  {"sched_setaffinity", "GLIBC_2.3.4"},
                  {"pthread_getaffinity_np", "GLIBC_2.32"},
                  {"pthread_attr_getaffinity_np", "GLIBC_2.32"},
                  {"timer_gettime", "GLIBC_2.34"},
                  {"timer_settime", "GLIBC_2.34"}};
  for (const auto& changed : kChanged)
    if (!compare_bytes(name, changed.name, min(length_of(name), length_of(changed.name)) + 1))
      return changed.version;
  return nullptr;
}

void* real_function_or_null(const char* name, const char* version) {
  if (!version) version = version_of(name);
  int saved = errno;
  void* found = version ? dlvsym(RTLD_NEXT, name, version) : real_dlsym()(RTLD_NEXT, name);
  errno = saved;
  return found;
}

void* real_function(const char* name, const char* version) {
  void* found = real_function_or_null(name, version);
  if (FR_LIKELY(found != nullptr)) return found;
  // Our definition may be the reason why the program was linked without libm (--as-needed).
  if (void* libm = dlopen("libm.so.6", RTLD_LAZY))
    if ((found = real_dlsym()(libm, name))) return found;
  const char* const parts[] = {
      "footrace: fatal: the C library has no function '", name, version ? "' of version '" : "",
      version ? version : "",
      "'. Footrace needs glibc 2.36 as a shared library; a program linked with -static cannot be checked.\n"};
  for (const char* part : parts) write_error(part, length_of(part));
  sys(SYS_exit_group, 1);
  __builtin_trap();
}

} // namespace footrace
