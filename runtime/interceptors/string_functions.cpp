// str*: the bytes that the C standard says are read and written, checked for instrumented callers. A
// comparison reads up to and including the first difference, a search up to and including the match,
// everything else the terminator too.
#include "runtime/interceptors/caller.h"
#include "runtime/interceptors/memory_functions.h"
#include "runtime/interceptors/own_malloc.h"

#include <ctype.h>

using namespace footrace;

extern "C" u64 __footrace_internal_strlen(const char*);

FR_INTERCEPTOR(size_t, strlen, const char* s) {
  size_t n = FR_LIKELY(real_strlen) ? real_strlen(s) : __footrace_internal_strlen(s);
  if (Thread* t = checked_caller(FR_CALLER())) check_read(t, FR_CALLER(), s, n + 1);
  return n;
}
FR_INTERCEPTOR(size_t, strnlen, const char* s, size_t most) {
  size_t n = FR_REAL(strnlen)(s, most);
  if (most)
    if (Thread* t = checked_caller(FR_CALLER())) check_read(t, FR_CALLER(), s, min(n + 1, most));
  return n;
}

namespace {

u64 length(const char* s) { return FR_REAL(strlen)(s); }
u64 length_at_most(const char* s, u64 most) { return FR_REAL(strnlen)(s, most); }
// Bytes of a string of at most `most` that a function looks at: with the terminator if there is one.
u64 bytes_at_most(const char* s, u64 most) { return min(length_at_most(s, most) + 1, most); }

FR_INLINE void check_string(Caller caller, const char* s) {
  if (Thread* t = checked_caller(caller)) check_read(t, caller, s, length(s) + 1);
}

// strcpy and the like: `read` bytes of `from` come to `to`, where `written` bytes change.
FR_INLINE void check_copy(Thread* t, Caller caller, char* to, const char* from, u64 read, u64 written) {
  if (read) check_read(t, caller, from, read);
  if (written) check_write(t, caller, to, written);
}
FR_INLINE void check_strcpy(Caller caller, char* to, const char* from) {
  Thread* t = checked_caller(caller);
  if (!t) return;
  u64 n = length(from) + 1;
  check_copy(t, caller, to, from, n, n);
}
FR_INLINE void check_strncpy(Caller caller, char* to, const char* from, u64 size) {
  if (Thread* t = checked_caller(caller)) check_copy(t, caller, to, from, bytes_at_most(from, size), size);
}
FR_INLINE void check_strcat(Caller caller, char* to, const char* from, u64 most) {
  Thread* t = checked_caller(caller);
  if (!t) return;
  u64 there = length(to), added = length_at_most(from, most);
  check_read(t, caller, to, there + 1);
  check_copy(t, caller, to + there, from, min(added + 1, most), added + 1);
}

// `fold` makes characters equal that the comparison takes for equal.
template <class Fold> void check_compare(Caller caller, const char* a, const char* b, u64 most, Fold fold) {
  Thread* t = checked_caller(caller);
  if (!t) return;
  u64 n = 0;
  while (n < most) {
    u8 x = u8(a[n]), y = u8(b[n]);
    ++n;
    if (!x || fold(x) != fold(y)) break;
  }
  if (!n) return;
  check_read(t, caller, a, n);
  check_read(t, caller, b, n);
}
constexpr auto kExact = [](u8 c) { return i32(c); };

// A search through `s` that ended at `found`, or at the terminator.
FR_INLINE void check_search(Caller caller, const char* s, const char* found) {
  if (Thread* t = checked_caller(caller))
    check_read(t, caller, s, found ? u64(found - s) + 1 : length(s) + 1);
}
// strspn and the like: `n` characters were accepted, the next one was looked at too.
FR_INLINE void check_span(Caller caller, const char* s, u64 n, const char* set) {
  Thread* t = checked_caller(caller);
  if (!t) return;
  check_read(t, caller, s, n + 1);
  check_read(t, caller, set, length(set) + 1);
}
FR_INLINE void check_strstr(Caller caller, const char* s, const char* what, const char* found) {
  Thread* t = checked_caller(caller);
  if (!t) return;
  u64 n = length(what);
  check_read(t, caller, what, n + 1);
  u64 read = found ? u64(found - s) + n : length(s) + 1;
  if (read) check_read(t, caller, s, read);
}

char* duplicate(Caller caller, const char* s, u64 n, u64 read) {
  char* copy = static_cast<char*>(allocate_for_free(caller, n + 1));
  if (!copy) return nullptr;
  if (Thread* t = checked_caller(caller)) check_copy(t, caller, copy, s, read, n + 1);
  plain_memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

} // namespace

FR_INTERCEPTOR(char*, strcpy, char* to, const char* from) {
  check_strcpy(FR_CALLER(), to, from);
  return FR_REAL(strcpy)(to, from);
}
FR_INTERCEPTOR(char*, stpcpy, char* to, const char* from) {
  check_strcpy(FR_CALLER(), to, from);
  return FR_REAL(stpcpy)(to, from);
}
FR_INTERCEPTOR(char*, strncpy, char* to, const char* from, size_t size) {
  check_strncpy(FR_CALLER(), to, from, size);
  return FR_REAL(strncpy)(to, from, size);
}
FR_INTERCEPTOR(char*, stpncpy, char* to, const char* from, size_t size) {
  check_strncpy(FR_CALLER(), to, from, size);
  return FR_REAL(stpncpy)(to, from, size);
}
FR_INTERCEPTOR(char*, strcat, char* to, const char* from) {
  check_strcat(FR_CALLER(), to, from, ~0ull);
  return FR_REAL(strcat)(to, from);
}
FR_INTERCEPTOR(char*, strncat, char* to, const char* from, size_t most) {
  check_strcat(FR_CALLER(), to, from, most);
  return FR_REAL(strncat)(to, from, most);
}

FR_INTERCEPTOR(int, strcmp, const char* a, const char* b) {
  check_compare(FR_CALLER(), a, b, ~0ull, kExact);
  return FR_REAL(strcmp)(a, b);
}
FR_INTERCEPTOR(int, strncmp, const char* a, const char* b, size_t most) {
  check_compare(FR_CALLER(), a, b, most, kExact);
  return FR_REAL(strncmp)(a, b, most);
}
FR_INTERCEPTOR(int, strcasecmp, const char* a, const char* b) {
  const i32* lower = *__ctype_tolower_loc();
  check_compare(FR_CALLER(), a, b, ~0ull, [lower](u8 c) { return lower[c]; });
  return FR_REAL(strcasecmp)(a, b);
}
FR_INTERCEPTOR(int, strncasecmp, const char* a, const char* b, size_t most) {
  const i32* lower = *__ctype_tolower_loc();
  check_compare(FR_CALLER(), a, b, most, [lower](u8 c) { return lower[c]; });
  return FR_REAL(strncasecmp)(a, b, most);
}

FR_INTERCEPTOR(char*, strchr, const char* s, int c) {
  char* found = FR_REAL(strchr)(s, c);
  check_search(FR_CALLER(), s, found);
  return found;
}
FR_INTERCEPTOR(char*, index, const char* s, int c) {
  char* found = FR_REAL(index)(s, c);
  check_search(FR_CALLER(), s, found);
  return found;
}
FR_INTERCEPTOR(char*, strchrnul, const char* s, int c) {
  char* found = FR_REAL(strchrnul)(s, c);
  check_search(FR_CALLER(), s, found);
  return found;
}
FR_INTERCEPTOR(char*, strrchr, const char* s, int c) {
  char* found = FR_REAL(strrchr)(s, c);
  check_string(FR_CALLER(), s);
  return found;
}
FR_INTERCEPTOR(char*, rindex, const char* s, int c) {
  char* found = FR_REAL(rindex)(s, c);
  check_string(FR_CALLER(), s);
  return found;
}
FR_INTERCEPTOR(char*, strstr, const char* s, const char* what) {
  char* found = FR_REAL(strstr)(s, what);
  check_strstr(FR_CALLER(), s, what, found);
  return found;
}
FR_INTERCEPTOR(char*, strcasestr, const char* s, const char* what) {
  char* found = FR_REAL(strcasestr)(s, what);
  check_strstr(FR_CALLER(), s, what, found);
  return found;
}
FR_INTERCEPTOR(size_t, strspn, const char* s, const char* set) {
  size_t n = FR_REAL(strspn)(s, set);
  check_span(FR_CALLER(), s, n, set);
  return n;
}
FR_INTERCEPTOR(size_t, strcspn, const char* s, const char* set) {
  size_t n = FR_REAL(strcspn)(s, set);
  check_span(FR_CALLER(), s, n, set);
  return n;
}
FR_INTERCEPTOR(char*, strpbrk, const char* s, const char* set) {
  char* found = FR_REAL(strpbrk)(s, set);
  if (Thread* t = checked_caller(FR_CALLER())) {
    check_read(t, FR_CALLER(), s, found ? u64(found - s) + 1 : length(s) + 1);
    check_read(t, FR_CALLER(), set, length(set) + 1);
  }
  return found;
}

FR_REPLACEMENT(char*, strdup, const char* s) {
  u64 n = length(s);
  return duplicate(FR_CALLER(), s, n, n + 1);
}
FR_REPLACEMENT(char*, __strdup, const char* s) {
  u64 n = length(s);
  return duplicate(FR_CALLER(), s, n, n + 1);
}
FR_REPLACEMENT(char*, strndup, const char* s, size_t most) {
  u64 n = length_at_most(s, most);
  return duplicate(FR_CALLER(), s, n, min(n + 1, most));
}
FR_REPLACEMENT(char*, __strndup, const char* s, size_t most) {
  u64 n = length_at_most(s, most);
  return duplicate(FR_CALLER(), s, n, min(n + 1, most));
}

// Fortified forms. One that is about to abort the program is not checked: it writes nothing.
FR_INTERCEPTOR(char*, __strcpy_chk, char* to, const char* from, size_t room) {
  if (length(from) < room) check_strcpy(FR_CALLER(), to, from);
  return FR_REAL(__strcpy_chk)(to, from, room);
}
FR_INTERCEPTOR(char*, __stpcpy_chk, char* to, const char* from, size_t room) {
  if (length(from) < room) check_strcpy(FR_CALLER(), to, from);
  return FR_REAL(__stpcpy_chk)(to, from, room);
}
FR_INTERCEPTOR(char*, __strncpy_chk, char* to, const char* from, size_t size, size_t room) {
  if (size <= room) check_strncpy(FR_CALLER(), to, from, size);
  return FR_REAL(__strncpy_chk)(to, from, size, room);
}
FR_INTERCEPTOR(char*, __stpncpy_chk, char* to, const char* from, size_t size, size_t room) {
  if (size <= room) check_strncpy(FR_CALLER(), to, from, size);
  return FR_REAL(__stpncpy_chk)(to, from, size, room);
}
FR_INTERCEPTOR(char*, __strcat_chk, char* to, const char* from, size_t room) {
  if (length(to) + length(from) < room) check_strcat(FR_CALLER(), to, from, ~0ull);
  return FR_REAL(__strcat_chk)(to, from, room);
}
FR_INTERCEPTOR(char*, __strncat_chk, char* to, const char* from, size_t most, size_t room) {
  if (length(to) + length_at_most(from, most) < room) check_strcat(FR_CALLER(), to, from, most);
  return FR_REAL(__strncat_chk)(to, from, most, room);
}
