// printf and scanf: the strings that are printed, the counts that %n stores, and what scanf fills in, by reading the format. Formats with numbered arguments
// (%1$s) and conversions that we do not know end the reading: what comes behind is not checked.
#include "runtime/interceptors/caller.h"

#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

using namespace footrace;

namespace {

u64 length(const char* s, u64 most) {
  u64 n = 0;
  while (n < most && s[n++]) {
  }
  return n;
}
u64 wide_length(const wchar_t* s, u64 most) {
  u64 n = 0;
  while (n < most && s[n++]) {
  }
  return n;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_one_of(char c, const char* set) {
  for (; *set; ++set)
    if (*set == c) return true;
  return false;
}

// hh h (none) l ll j z t L q, and what they make of an integer.
struct Length {
  bool is_long = false, is_long_double = false;
  u64 integer = sizeof(int);
};
Length take_length(const char*& f) {
  Length found;
  switch (*f) {
  case 'h':
    found.integer = f[1] == 'h' ? 1 : 2;
    f += f[1] == 'h' ? 2 : 1;
    break;
  case 'l':
    found.is_long = f[1] != 'l';
    found.is_long_double = f[1] == 'l';
    found.integer = 8;
    f += f[1] == 'l' ? 2 : 1;
    break;
  case 'L':
  case 'q':
    found.is_long_double = true;
    found.integer = 8;
    ++f;
    break;
  case 'j':
  case 'z':
  case 'Z':
  case 't':
    found.integer = 8;
    ++f;
    break;
  }
  return found;
}

void check_string(Thread* t, Caller caller, const char* s, u64 most) {
  if (s && most) check_read(t, caller, s, length(s, most));
}
void check_wide_string(Thread* t, Caller caller, const wchar_t* s, u64 most) {
  if (s && most) check_read(t, caller, s, wide_length(s, most) * sizeof(wchar_t));
}

// A width or a precision: a number, or the next argument. False: numbered arguments.
bool take_number(const char*& f, va_list arguments, i64& number) {
  if (*f == '*') {
    ++f;
    if (is_digit(*f)) return false;
    number = va_arg(arguments, int);
    return true;
  }
  for (number = 0; is_digit(*f); ++f) number = number < 1'000'000'000 ? number * 10 + (*f - '0') : number;
  return *f != '$';
}

void check_printed(Thread* t, Caller caller, const char* format, va_list given, bool is_over) {
  va_list arguments;
  va_copy(arguments, given);
  if (!is_over) check_string(t, caller, format, ~0ull);
  for (const char* f = format; *f; ++f) {
    if (*f != '%') continue;
    ++f;
    while (is_one_of(*f, "-+ #0'I")) ++f;
    i64 width = 0, precision = -1;
    if (!take_number(f, arguments, width)) break;
    if (*f == '.' && !take_number(++f, arguments, precision)) break;
    const u64 most = precision < 0 ? ~0ull : u64(precision);
    const Length size = take_length(f);
    if (!*f) break;
    if (is_one_of(*f, "diouxXbB")) {
      if (size.integer == 8)
        va_arg(arguments, u64);
      else
        va_arg(arguments, int);
    } else if (*f == 'c' || *f == 'C') {
      va_arg(arguments, int);
    } else if (is_one_of(*f, "aAeEfFgG")) {
      if (size.is_long_double)
        va_arg(arguments, long double);
      else
        va_arg(arguments, double);
    } else if (*f == 's' && !size.is_long) {
      const char* s = va_arg(arguments, const char*);
      if (!is_over) check_string(t, caller, s, most);
    } else if (*f == 's' ||
               *f == 'S') { // of wide characters that become `most` bytes, as many may be looked at
      const wchar_t* s = va_arg(arguments, const wchar_t*);
      if (!is_over) check_wide_string(t, caller, s, most == ~0ull ? most : min<u64>(most, 1));
    } else if (*f == 'p') {
      va_arg(arguments, void*);
    } else if (*f == 'n') {
      void* count = va_arg(arguments, void*);
      if (is_over && count) check_write(t, caller, count, size.integer);
    } else if (*f != '%' && *f != 'm') {
      break;
    }
  }
  va_end(arguments);
}

// The first `filled` conversions that store something have done so.
void check_scanned(Thread* t, Caller caller, const char* format, va_list given, int filled) {
  va_list arguments;
  va_copy(arguments, given);
  for (const char* f = format; *f && filled >= 0; ++f) {
    if (*f != '%') continue;
    ++f;
    bool is_stored = true, is_allocated = false;
    i64 width = -1;
    if (*f == '*') is_stored = false, ++f;
    while (*f == '\'' || *f == 'I') ++f;
    if (is_digit(*f)) {
      for (width = 0; is_digit(*f); ++f) width = width < 1'000'000'000 ? width * 10 + (*f - '0') : width;
      if (*f == '$') break;
    }
    if (*f == 'm') is_allocated = true, ++f;
    const Length size = take_length(f);
    if (!*f) break;
    if (*f == '%') continue;
    const bool is_number = is_one_of(*f, "diouxXb"), is_float = is_one_of(*f, "aAeEfFgG");
    const bool is_text = is_one_of(*f, "sS[cC");
    const char conversion = *f;
    if (!is_number && !is_float && !is_text && conversion != 'p' && conversion != 'n') break;
    if (conversion == '[') {
      ++f;
      if (*f == '^') ++f;
      if (*f == ']') ++f;
      while (*f && *f != ']') ++f;
      if (!*f) break;
    }
    if (!is_stored) continue;
    if (conversion != 'n' && filled-- == 0) break;
    void* to = va_arg(arguments, void*);
    if (!to) break;
    const bool is_wide = size.is_long || conversion == 'S' || conversion == 'C';
    u64 bytes = size.integer;
    if (is_allocated || conversion == 'p')
      bytes = sizeof(void*);
    else if (is_float)
      bytes = size.is_long_double ? sizeof(long double) : size.is_long ? sizeof(double) : sizeof(float);
    else if (conversion == 'c' || conversion == 'C')
      bytes = u64(width < 0 ? 1 : width) * (is_wide ? sizeof(wchar_t) : 1);
    else if (is_text)
      bytes = is_wide ? wide_length(static_cast<wchar_t*>(to), ~0ull) * sizeof(wchar_t)
                      : length(static_cast<char*>(to), ~0ull);
    check_write(t, caller, to, bytes);
  }
  va_end(arguments);
}

// What all forms share: `print(arguments)` is the real function; what it returns comes to `to`, if that is a buffer, with its terminator and not more than
// `room`.
template <class Print>
FR_INLINE int printed(Caller caller, const char* format, va_list arguments, const void* to, u64 room,
                      Print print) {
  Thread* t = checked_caller(caller);
  if (t) check_printed(t, caller, format, arguments, false);
  va_list again;
  va_copy(again, arguments);
  const int result = print(arguments);
  t = checked_caller(caller);
  if (t && result >= 0) {
    if (to && room) check_write(t, caller, to, min(u64(result) + 1, room));
    for (const char* f = format; *f; ++f) // %n is rare
      if (*f == 'n') {
        check_printed(t, caller, format, again, true);
        break;
      }
  }
  va_end(again);
  return result;
}
template <class Scan>
FR_INLINE int scanned(Caller caller, const char* text, const char* format, va_list arguments, Scan scan) {
  if (Thread* t = checked_caller(caller)) {
    check_string(t, caller, format, ~0ull);
    if (text) check_read(t, caller, text, 1); // how far it reads only the real function knows
  }
  va_list again;
  va_copy(again, arguments);
  const int result = scan(arguments);
  if (Thread* t = checked_caller(caller); t && result >= 0) check_scanned(t, caller, format, again, result);
  va_end(again);
  return result;
}
// The pointer that asprintf stores, and the text behind it.
template <class Print>
FR_INLINE int allocated(Caller caller, char** to, const char* format, va_list arguments, Print print) {
  const int result = printed(caller, format, arguments, nullptr, 0, print);
  if (Thread* t = checked_caller(caller); t && result >= 0) {
    check_write(t, caller, to, sizeof *to);
    check_write(t, caller, *to, u64(result) + 1);
  }
  return result;
}

constexpr u64 kEndless = ~0ull;

} // namespace

// name(parameters..., ...) and vname(parameters..., va_list), with what the real vname is called with.
#define FR_PRINT(name, vname, to, room, parameters, arguments)                                               \
  FR_INTERCEPTOR(int, vname, FR_LIST parameters, va_list list) {                                             \
    auto real = FR_REAL(vname);                                                                              \
    return printed(FR_CALLER(), format, list, to, room,                                                      \
                   [=](va_list l) { return real(FR_LIST arguments, l); });                                   \
  }                                                                                                          \
  FR_REPLACEMENT(int, name, FR_LIST parameters, ...) {                                                       \
    auto real = FR_REAL(vname);                                                                              \
    va_list list;                                                                                            \
    va_start(list, format);                                                                                  \
    const int result =                                                                                       \
        printed(FR_CALLER(), format, list, to, room, [=](va_list l) { return real(FR_LIST arguments, l); }); \
    va_end(list);                                                                                            \
    return result;                                                                                           \
  }
#define FR_LIST(...) __VA_ARGS__

FR_PRINT(printf, vprintf, nullptr, 0, (const char* format), (format))
FR_PRINT(fprintf, vfprintf, nullptr, 0, (FILE * stream, const char* format), (stream, format))
FR_PRINT(dprintf, vdprintf, nullptr, 0, (int fd, const char* format), (fd, format))
FR_PRINT(sprintf, vsprintf, to, kEndless, (char* to, const char* format), (to, format))
FR_PRINT(snprintf, vsnprintf, to, room, (char* to, size_t room, const char* format), (to, room, format))
FR_PRINT(__printf_chk, __vprintf_chk, nullptr, 0, (int flag, const char* format), (flag, format))
FR_PRINT(__fprintf_chk, __vfprintf_chk, nullptr, 0, (FILE * stream, int flag, const char* format),
         (stream, flag, format))
FR_PRINT(__dprintf_chk, __vdprintf_chk, nullptr, 0, (int fd, int flag, const char* format),
         (fd, flag, format))
FR_PRINT(__sprintf_chk, __vsprintf_chk, to, kEndless, (char* to, int flag, size_t size, const char* format),
         (to, flag, size, format))
FR_PRINT(__snprintf_chk, __vsnprintf_chk, to, room,
         (char* to, size_t room, int flag, size_t size, const char* format), (to, room, flag, size, format))

#define FR_ALLOCATING_PRINT(name, vname, parameters, arguments)                                              \
  FR_INTERCEPTOR(int, vname, FR_LIST parameters, va_list list) {                                             \
    auto real = FR_REAL(vname);                                                                              \
    return allocated(FR_CALLER(), to, format, list, [=](va_list l) { return real(FR_LIST arguments, l); });  \
  }                                                                                                          \
  FR_REPLACEMENT(int, name, FR_LIST parameters, ...) {                                                       \
    auto real = FR_REAL(vname);                                                                              \
    va_list list;                                                                                            \
    va_start(list, format);                                                                                  \
    const int result =                                                                                       \
        allocated(FR_CALLER(), to, format, list, [=](va_list l) { return real(FR_LIST arguments, l); });     \
    va_end(list);                                                                                            \
    return result;                                                                                           \
  }
FR_ALLOCATING_PRINT(asprintf, vasprintf, (char** to, const char* format), (to, format))
FR_ALLOCATING_PRINT(__asprintf_chk, __vasprintf_chk, (char** to, int flag, const char* format),
                    (to, flag, format))

#define FR_SCAN(name, vname, text, parameters, arguments)                                                    \
  FR_INTERCEPTOR(int, vname, FR_LIST parameters, va_list list) {                                             \
    auto real = FR_REAL(vname);                                                                              \
    return scanned(FR_CALLER(), text, format, list, [=](va_list l) { return real(FR_LIST arguments, l); });  \
  }                                                                                                          \
  FR_REPLACEMENT(int, name, FR_LIST parameters, ...) {                                                       \
    auto real = FR_REAL(vname);                                                                              \
    va_list list;                                                                                            \
    va_start(list, format);                                                                                  \
    const int result =                                                                                       \
        scanned(FR_CALLER(), text, format, list, [=](va_list l) { return real(FR_LIST arguments, l); });     \
    va_end(list);                                                                                            \
    return result;                                                                                           \
  }
FR_SCAN(scanf, vscanf, nullptr, (const char* format), (format))
FR_SCAN(fscanf, vfscanf, nullptr, (FILE * stream, const char* format), (stream, format))
FR_SCAN(sscanf, vsscanf, text, (const char* text, const char* format), (text, format))
FR_SCAN(__isoc99_scanf, __isoc99_vscanf, nullptr, (const char* format), (format))
FR_SCAN(__isoc99_fscanf, __isoc99_vfscanf, nullptr, (FILE * stream, const char* format), (stream, format))
FR_SCAN(__isoc99_sscanf, __isoc99_vsscanf, text, (const char* text, const char* format), (text, format))

// -- Functions whose arguments say where, and only the call how far

namespace {

using Tokens = char* (*)(char*, const char*, char**);

// Characters of the text are read up to the token's end, which becomes a terminator where it was none.
char* next_token(Caller caller, Tokens real, char* text, const char* delimiters, char** rest) {
  if (Thread* t = checked_caller(caller)) {
    check_string(t, caller, delimiters, kEndless);
    if (!text) check_read(t, caller, rest, sizeof *rest);
  }
  const char* const from = text ? text : *rest;
  char* const token = real(text, delimiters, rest);
  Thread* t = checked_caller(caller);
  if (!t) return token;
  check_write(t, caller, rest, sizeof *rest);
  if (!token) {
    if (from) check_read(t, caller, from, length(from, kEndless));
    return token;
  }
  char* const end = token + length(token, kEndless) - 1;
  check_read(t, caller, from, u64(end - from) + 1);
  if (*rest == end + 1) check_write(t, caller, end, 1);
  return token;
}

} // namespace

FR_INTERCEPTOR(char*, strtok_r, char* text, const char* delimiters, char** rest) {
  return next_token(FR_CALLER(), FR_REAL(strtok_r), text, delimiters, rest);
}
FR_INTERCEPTOR(char*, __strtok_r, char* text, const char* delimiters, char** rest) {
  return next_token(FR_CALLER(), FR_REAL(__strtok_r), text, delimiters, rest);
}

FR_INTERCEPTOR(size_t, iconv, void* conversion, char** from, size_t* from_left, char** to, size_t* to_left) {
  char *const from_begin = from ? *from : nullptr, *const to_begin = to ? *to : nullptr;
  const size_t result = FR_REAL(iconv)(conversion, from, from_left, to, to_left);
  Thread* t = checked_caller(FR_CALLER());
  if (!t) return result;
  const Caller caller = FR_CALLER();
  if (from_begin) {
    check_write(t, caller, from, sizeof *from);
    check_write(t, caller, from_left, sizeof *from_left);
    check_read(t, caller, from_begin, u64(*from - from_begin));
  }
  if (to_begin) {
    check_write(t, caller, to, sizeof *to);
    check_write(t, caller, to_left, sizeof *to_left);
    check_write(t, caller, to_begin, u64(*to - to_begin));
  }
  return result;
}

// The fraction is the result, the exponent or the whole part is stored.
#define FR_SPLIT(type, name, stored)                                                                         \
  FR_INTERCEPTOR(type, name, type x, stored* part) {                                                         \
    const type result = FR_REAL(name)(x, part);                                                              \
    if (Thread* t = checked_caller(FR_CALLER()))                                                             \
      check_write(t, FR_CALLER(), part, sizeof(stored) == 16 ? 10 : sizeof(stored));                         \
    return result;                                                                                           \
  }
FR_SPLIT(double, frexp, int)
FR_SPLIT(float, frexpf, int)
FR_SPLIT(long double, frexpl, int)
FR_SPLIT(double, modf, double)
FR_SPLIT(float, modff, float)
FR_SPLIT(long double, modfl, long double)

FR_INTERCEPTOR(void, sincos, double x, double* sine, double* cosine) {
  FR_REAL(sincos)(x, sine, cosine);
  if (Thread* t = checked_caller(FR_CALLER())) {
    check_write(t, FR_CALLER(), sine, sizeof *sine);
    check_write(t, FR_CALLER(), cosine, sizeof *cosine);
  }
}
FR_INTERCEPTOR(void, sincosf, float x, float* sine, float* cosine) {
  FR_REAL(sincosf)(x, sine, cosine);
  if (Thread* t = checked_caller(FR_CALLER())) {
    check_write(t, FR_CALLER(), sine, sizeof *sine);
    check_write(t, FR_CALLER(), cosine, sizeof *cosine);
  }
}
FR_INTERCEPTOR(void, sincosl, long double x, long double* sine, long double* cosine) {
  FR_REAL(sincosl)(x, sine, cosine);
  if (Thread* t = checked_caller(FR_CALLER())) {
    check_write(t, FR_CALLER(), sine, 10);
    check_write(t, FR_CALLER(), cosine, 10);
  }
}
FR_SPLIT(double, lgamma_r, int)
FR_SPLIT(float, lgammaf_r, int)
FR_SPLIT(long double, lgammal_r, int)
FR_INTERCEPTOR(double, remquo, double x, double y, int* quotient) {
  const double result = FR_REAL(remquo)(x, y, quotient);
  if (Thread* t = checked_caller(FR_CALLER())) check_write(t, FR_CALLER(), quotient, sizeof *quotient);
  return result;
}
FR_INTERCEPTOR(float, remquof, float x, float y, int* quotient) {
  const float result = FR_REAL(remquof)(x, y, quotient);
  if (Thread* t = checked_caller(FR_CALLER())) check_write(t, FR_CALLER(), quotient, sizeof *quotient);
  return result;
}
FR_INTERCEPTOR(long double, remquol, long double x, long double y, int* quotient) {
  const long double result = FR_REAL(remquol)(x, y, quotient);
  if (Thread* t = checked_caller(FR_CALLER())) check_write(t, FR_CALLER(), quotient, sizeof *quotient);
  return result;
}
