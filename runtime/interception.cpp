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

void* real_function_or_null(const char* name, const char* version) {
  int saved = errno;
  void* found = version ? dlvsym(RTLD_NEXT, name, version) : real_dlsym()(RTLD_NEXT, name);
  errno = saved;
  return found;
}

void* real_function(const char* name, const char* version) {
  void* found = real_function_or_null(name, version);
  if (FR_LIKELY(found != nullptr)) return found;
  const char* const parts[] = {
      "footrace: fatal: the C library has no function '", name, version ? "' of version '" : "",
      version ? version : "",
      "'. Footrace needs glibc 2.36 as a shared library; a program linked with -static cannot be checked.\n"};
  for (const char* part : parts) write_error(part, length_of(part));
  sys(SYS_exit_group, 1);
  __builtin_trap();
}

} // namespace footrace
