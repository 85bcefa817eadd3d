// mem*: the ranges that the C standard says are accessed, checked for instrumented callers.
// memcmp may look at all bytes; memchr behaves as if it read one byte after another and stopped at the first
// match. The functions that compilers call on their own may run while the program is still being relocated;
// until the real ones have been looked up, the plain loops of base/builtins.cpp do the work.
#include "runtime/interceptors/memory_functions.h"
#include "runtime/interceptors/caller.h"

using namespace footrace;

extern "C" {
void* __footrace_internal_memcpy(void*, const void*, u64);
void* __footrace_internal_memmove(void*, const void*, u64);
void* __footrace_internal_memset(void*, int, u64);
int __footrace_internal_memcmp(const void*, const void*, u64);
}

namespace {

FR_INLINE void check_copy(Caller caller, const void* to, const void* from, u64 size) {
  if (!size) return;
  Thread* t = checked_caller(caller);
  if (FR_LIKELY(!t)) return;
  check_read(t, caller, from, size);
  check_write(t, caller, to, size);
}
FR_INLINE void check_fill(Caller caller, const void* to, u64 size) {
  if (!size) return;
  if (Thread* t = checked_caller(caller)) check_write(t, caller, to, size);
}
FR_INLINE void check_compare(Caller caller, const void* a, const void* b, u64 size) {
  if (!size) return;
  Thread* t = checked_caller(caller);
  if (FR_LIKELY(!t)) return;
  check_read(t, caller, a, size);
  check_read(t, caller, b, size);
}

} // namespace

FR_INTERCEPTOR(void*, memcpy, void* to, const void* from, size_t size) {
  check_copy(FR_CALLER(), to, from, size);
  return plain_memcpy(to, from, size);
}
FR_INTERCEPTOR(void*, memmove, void* to, const void* from, size_t size) {
  check_copy(FR_CALLER(), to, from, size);
  return plain_memmove(to, from, size);
}
FR_INTERCEPTOR(void*, memset, void* to, int value, size_t size) {
  check_fill(FR_CALLER(), to, size);
  return plain_memset(to, value, size);
}
FR_INTERCEPTOR(int, memcmp, const void* a, const void* b, size_t size) {
  check_compare(FR_CALLER(), a, b, size);
  return FR_LIKELY(real_memcmp) ? real_memcmp(a, b, size) : __footrace_internal_memcmp(a, b, size);
}
FR_REPLACEMENT(int, bcmp, const void* a, const void* b, size_t size) {
  check_compare(FR_CALLER(), a, b, size);
  return FR_LIKELY(real_memcmp) ? real_memcmp(a, b, size) : __footrace_internal_memcmp(a, b, size);
}
FR_REPLACEMENT(void*, mempcpy, void* to, const void* from, size_t size) {
  check_copy(FR_CALLER(), to, from, size);
  return static_cast<char*>(plain_memcpy(to, from, size)) + size;
}
FR_REPLACEMENT(void*, __mempcpy, void* to, const void* from, size_t size) {
  check_copy(FR_CALLER(), to, from, size);
  return static_cast<char*>(plain_memcpy(to, from, size)) + size;
}
FR_REPLACEMENT(void, bcopy, const void* from, void* to, size_t size) {
  check_copy(FR_CALLER(), to, from, size);
  plain_memmove(to, from, size);
}
FR_REPLACEMENT(void, bzero, void* to, size_t size) {
  check_fill(FR_CALLER(), to, size);
  plain_memset(to, 0, size);
}
FR_REPLACEMENT(void, explicit_bzero, void* to, size_t size) {
  check_fill(FR_CALLER(), to, size);
  plain_memset(to, 0, size);
}

FR_INTERCEPTOR(void*, memchr, const void* in, int value, size_t size) {
  void* found = FR_REAL(memchr)(in, value, size);
  if (size)
    if (Thread* t = checked_caller(FR_CALLER()))
      check_read(t, FR_CALLER(), in, found ? uptr(found) - uptr(in) + 1 : size);
  return found;
}
FR_INTERCEPTOR(void*, rawmemchr, const void* in, int value) {
  void* found = FR_REAL(rawmemchr)(in, value);
  if (Thread* t = checked_caller(FR_CALLER())) check_read(t, FR_CALLER(), in, uptr(found) - uptr(in) + 1);
  return found;
}
FR_INTERCEPTOR(void*, memrchr, const void* in, int value, size_t size) {
  void* found = FR_REAL(memrchr)(in, value, size);
  if (size)
    if (Thread* t = checked_caller(FR_CALLER())) {
      const void* last_read = found ? found : in;
      check_read(t, FR_CALLER(), last_read, uptr(in) + size - uptr(last_read));
    }
  return found;
}
FR_INTERCEPTOR(void*, memmem, const void* in, size_t size, const void* what, size_t length) {
  void* found = FR_REAL(memmem)(in, size, what, length);
  if (Thread* t = checked_caller(FR_CALLER())) {
    if (length) check_read(t, FR_CALLER(), what, length);
    u64 read = found ? uptr(found) - uptr(in) + length : size;
    if (read) check_read(t, FR_CALLER(), in, read);
  }
  return found;
}
FR_INTERCEPTOR(void*, memccpy, void* to, const void* from, int last, size_t size) {
  void* end = FR_REAL(memccpy)(to, from, last, size);
  check_copy(FR_CALLER(), to, from, end ? uptr(end) - uptr(to) : size);
  return end;
}

// Fortified forms: the real one compares with the size of the object, and ends the program as the user
// expects.
FR_INTERCEPTOR(void*, __memcpy_chk, void* to, const void* from, size_t size, size_t room) {
  if (size <= room) check_copy(FR_CALLER(), to, from, size);
  return FR_REAL(__memcpy_chk)(to, from, size, room);
}
FR_INTERCEPTOR(void*, __memmove_chk, void* to, const void* from, size_t size, size_t room) {
  if (size <= room) check_copy(FR_CALLER(), to, from, size);
  return FR_REAL(__memmove_chk)(to, from, size, room);
}
FR_INTERCEPTOR(void*, __mempcpy_chk, void* to, const void* from, size_t size, size_t room) {
  if (size <= room) check_copy(FR_CALLER(), to, from, size);
  return FR_REAL(__mempcpy_chk)(to, from, size, room);
}
FR_INTERCEPTOR(void*, __memset_chk, void* to, int value, size_t size, size_t room) {
  if (size <= room) check_fill(FR_CALLER(), to, size);
  return FR_REAL(__memset_chk)(to, value, size, room);
}
FR_INTERCEPTOR(void, __explicit_bzero_chk, void* to, size_t size, size_t room) {
  if (size <= room) check_fill(FR_CALLER(), to, size);
  FR_REAL(__explicit_bzero_chk)(to, size, room);
}

namespace footrace {

void* plain_memcpy(void* to, const void* from, u64 size) {
  return FR_LIKELY(real_memcpy) ? real_memcpy(to, from, size) : __footrace_internal_memcpy(to, from, size);
}
void* plain_memmove(void* to, const void* from, u64 size) {
  return FR_LIKELY(real_memmove) ? real_memmove(to, from, size) : __footrace_internal_memmove(to, from, size);
}
void* plain_memset(void* to, int value, u64 size) {
  return FR_LIKELY(real_memset) ? real_memset(to, value, size) : __footrace_internal_memset(to, value, size);
}

} // namespace footrace
