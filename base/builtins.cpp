// What base/redefine_builtins.h renames the compiler's implicit library calls to.
#include "base/platform.h"

using namespace footrace;

#define FR_BUILTIN extern "C" __attribute__((visibility("hidden"), used, no_builtin))

FR_BUILTIN void* __footrace_internal_memcpy(void* to, const void* from, u64 size) {
  copy_bytes(to, from, size);
  return to;
}

FR_BUILTIN void* __footrace_internal_memmove(void* to, const void* from, u64 size) {
  if (uptr(to) - uptr(from) >= size) {
    copy_bytes(to, from, size);
    return to;
  }
  u8* target = static_cast<u8*>(to) + size;
  const u8* source = static_cast<const u8*>(from) + size;
  asm volatile("std; rep movsb; cld"
               : "=D"(target), "=S"(source), "+c"(size)
               : "0"(target - 1), "1"(source - 1)
               : "memory");
  return to;
}

FR_BUILTIN void* __footrace_internal_memset(void* to, int value, u64 size) {
  fill_bytes(to, u8(value), size);
  return to;
}

FR_BUILTIN int __footrace_internal_memcmp(const void* a, const void* b, u64 size) {
  return compare_bytes(a, b, size);
}

FR_BUILTIN u64 __footrace_internal_strlen(const char* text) { return length_of(text); }
