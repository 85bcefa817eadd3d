// wcs* and wmem*: the wide twins of string_functions.cpp and memory_functions.cpp, with the same rules.
#include "runtime/interceptors/caller.h"
#include "runtime/interceptors/memory_functions.h"
#include "runtime/interceptors/own_malloc.h"

using namespace footrace;

FR_INTERCEPTOR(size_t, wcslen, const wchar_t* s) {
  size_t n = FR_REAL(wcslen)(s);
  if (Thread* t = checked_caller(FR_CALLER())) check_read(t, FR_CALLER(), s, (n + 1) * sizeof(wchar_t));
  return n;
}
FR_INTERCEPTOR(size_t, wcsnlen, const wchar_t* s, size_t most) {
  size_t n = FR_REAL(wcsnlen)(s, most);
  if (most)
    if (Thread* t = checked_caller(FR_CALLER()))
      check_read(t, FR_CALLER(), s, min(n + 1, most) * sizeof(wchar_t));
  return n;
}

namespace {

u64 length(const wchar_t* s) { return FR_REAL(wcslen)(s); }
u64 length_at_most(const wchar_t* s, u64 most) { return FR_REAL(wcsnlen)(s, most); }

void check_reads(Thread* t, Caller caller, const wchar_t* from, u64 count) {
  if (count) check_read(t, caller, from, count * sizeof(wchar_t));
}
void check_writes(Thread* t, Caller caller, const wchar_t* to, u64 count) {
  if (count) check_write(t, caller, to, count * sizeof(wchar_t));
}
void check_copy(Caller caller, const wchar_t* to, const wchar_t* from, u64 read, u64 written) {
  Thread* t = checked_caller(caller);
  if (!t) return;
  check_reads(t, caller, from, read);
  check_writes(t, caller, to, written);
}
void check_append(Caller caller, const wchar_t* to, const wchar_t* from, u64 most) {
  Thread* t = checked_caller(caller);
  if (!t) return;
  u64 there = length(to), added = length_at_most(from, most);
  check_reads(t, caller, to, there + 1);
  check_reads(t, caller, from, min(added + 1, most));
  check_writes(t, caller, to + there, added + 1);
}
void check_compare(Caller caller, const wchar_t* a, const wchar_t* b, u64 most) {
  Thread* t = checked_caller(caller);
  if (!t) return;
  u64 n = 0;
  while (n < most) {
    wchar_t x = a[n], y = b[n];
    ++n;
    if (!x || x != y) break;
  }
  check_reads(t, caller, a, n);
  check_reads(t, caller, b, n);
}

} // namespace

FR_INTERCEPTOR(wchar_t*, wcscpy, wchar_t* to, const wchar_t* from) {
  u64 n = length(from) + 1;
  check_copy(FR_CALLER(), to, from, n, n);
  return FR_REAL(wcscpy)(to, from);
}
FR_INTERCEPTOR(wchar_t*, wcsncpy, wchar_t* to, const wchar_t* from, size_t count) {
  check_copy(FR_CALLER(), to, from, min<u64>(length_at_most(from, count) + 1, count), count);
  return FR_REAL(wcsncpy)(to, from, count);
}
FR_INTERCEPTOR(wchar_t*, wcscat, wchar_t* to, const wchar_t* from) {
  check_append(FR_CALLER(), to, from, ~0ull);
  return FR_REAL(wcscat)(to, from);
}
FR_INTERCEPTOR(wchar_t*, wcsncat, wchar_t* to, const wchar_t* from, size_t most) {
  check_append(FR_CALLER(), to, from, most);
  return FR_REAL(wcsncat)(to, from, most);
}
FR_INTERCEPTOR(int, wcscmp, const wchar_t* a, const wchar_t* b) {
  check_compare(FR_CALLER(), a, b, ~0ull);
  return FR_REAL(wcscmp)(a, b);
}
FR_INTERCEPTOR(int, wcsncmp, const wchar_t* a, const wchar_t* b, size_t most) {
  check_compare(FR_CALLER(), a, b, most);
  return FR_REAL(wcsncmp)(a, b, most);
}
FR_INTERCEPTOR(wchar_t*, wcschr, const wchar_t* s, wchar_t c) {
  wchar_t* found = FR_REAL(wcschr)(s, c);
  if (Thread* t = checked_caller(FR_CALLER()))
    check_reads(t, FR_CALLER(), s, found ? u64(found - s) + 1 : length(s) + 1);
  return found;
}
FR_INTERCEPTOR(wchar_t*, wcsrchr, const wchar_t* s, wchar_t c) {
  wchar_t* found = FR_REAL(wcsrchr)(s, c);
  if (Thread* t = checked_caller(FR_CALLER())) check_reads(t, FR_CALLER(), s, length(s) + 1);
  return found;
}
FR_REPLACEMENT(wchar_t*, wcsdup, const wchar_t* s) {
  u64 n = length(s) + 1;
  void* copy = allocate_for_free(FR_CALLER(), n * sizeof(wchar_t));
  if (!copy) return nullptr;
  check_copy(FR_CALLER(), static_cast<wchar_t*>(copy), s, n, n);
  return static_cast<wchar_t*>(plain_memcpy(copy, s, n * sizeof(wchar_t)));
}

FR_INTERCEPTOR(wchar_t*, wmemcpy, wchar_t* to, const wchar_t* from, size_t count) {
  check_copy(FR_CALLER(), to, from, count, count);
  return FR_REAL(wmemcpy)(to, from, count);
}
FR_INTERCEPTOR(wchar_t*, wmempcpy, wchar_t* to, const wchar_t* from, size_t count) {
  check_copy(FR_CALLER(), to, from, count, count);
  return FR_REAL(wmempcpy)(to, from, count);
}
FR_INTERCEPTOR(wchar_t*, wmemmove, wchar_t* to, const wchar_t* from, size_t count) {
  check_copy(FR_CALLER(), to, from, count, count);
  return FR_REAL(wmemmove)(to, from, count);
}
FR_INTERCEPTOR(wchar_t*, wmemset, wchar_t* to, wchar_t value, size_t count) {
  if (Thread* t = checked_caller(FR_CALLER())) check_writes(t, FR_CALLER(), to, count);
  return FR_REAL(wmemset)(to, value, count);
}
FR_INTERCEPTOR(int, wmemcmp, const wchar_t* a, const wchar_t* b, size_t count) {
  if (Thread* t = checked_caller(FR_CALLER())) {
    check_reads(t, FR_CALLER(), a, count);
    check_reads(t, FR_CALLER(), b, count);
  }
  return FR_REAL(wmemcmp)(a, b, count);
}
FR_INTERCEPTOR(wchar_t*, wmemchr, const wchar_t* s, wchar_t c, size_t count) {
  wchar_t* found = FR_REAL(wmemchr)(s, c, count);
  if (Thread* t = checked_caller(FR_CALLER()))
    check_reads(t, FR_CALLER(), s, found ? u64(found - s) + 1 : count);
  return found;
}

// Fortified forms; room is counted in wide characters.
FR_INTERCEPTOR(wchar_t*, __wcscpy_chk, wchar_t* to, const wchar_t* from, size_t room) {
  u64 n = length(from) + 1;
  if (n <= room) check_copy(FR_CALLER(), to, from, n, n);
  return FR_REAL(__wcscpy_chk)(to, from, room);
}
FR_INTERCEPTOR(wchar_t*, __wcscat_chk, wchar_t* to, const wchar_t* from, size_t room) {
  if (length(to) + length(from) < room) check_append(FR_CALLER(), to, from, ~0ull);
  return FR_REAL(__wcscat_chk)(to, from, room);
}
FR_INTERCEPTOR(wchar_t*, __wmemcpy_chk, wchar_t* to, const wchar_t* from, size_t count, size_t room) {
  if (count <= room) check_copy(FR_CALLER(), to, from, count, count);
  return FR_REAL(__wmemcpy_chk)(to, from, count, room);
}
FR_INTERCEPTOR(wchar_t*, __wmemmove_chk, wchar_t* to, const wchar_t* from, size_t count, size_t room) {
  if (count <= room) check_copy(FR_CALLER(), to, from, count, count);
  return FR_REAL(__wmemmove_chk)(to, from, count, room);
}
FR_INTERCEPTOR(wchar_t*, __wmemset_chk, wchar_t* to, wchar_t value, size_t count, size_t room) {
  if (count <= room)
    if (Thread* t = checked_caller(FR_CALLER())) check_writes(t, FR_CALLER(), to, count);
  return FR_REAL(__wmemset_chk)(to, value, count, room);
}
