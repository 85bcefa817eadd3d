// Functions of the C library that touch memory of their caller, generated from models/memory/uses.def. All their arguments are integers and pointers, so
// one shape fits each number of them. What is read is checked before the call and what is written after it; nothing is held in between, for
// some of them block, and a thread may be cancelled inside.
#include "models/memory/uses.h"
#include "runtime/interceptors/caller.h"
#include "runtime/sleeps.h"

#include <aio.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <grp.h>
#include <netdb.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <utime.h>
#include <wchar.h>

using namespace footrace;

namespace {

constexpr u32 kMostUses = 4;
struct Uses {
  MemoryUse list[kMostUses];
};

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

struct Call {
  const u64* arguments;
  Result kind;
  u64 result;
  u32 lengths[kMostUses]; // what LengthBehind has found before the call

  u64 argument(const MemoryUse& use, u8 number) const {
    return use.is_int ? u64(max(0, i32(arguments[number]))) : arguments[number];
  }
  i64 count() const { return kind == Result::Count || kind == Result::True ? i64(i32(result)) : i64(result); }
  bool has_failed() const {
    switch (kind) {
    case Result::Nothing:
      return false;
    case Result::Pointer:
      return !result;
    case Result::Zero:
      return i32(result) != 0;
    case Result::Count:
      return i32(result) < 0;
    case Result::Size:
      return i64(result) < 0;
    case Result::True:
      return i32(result) <= 0;
    }
    __builtin_unreachable();
  }
  uptr address(const MemoryUse& use) const {
    const uptr at = use.argument == MemoryUse::kResult ? result : arguments[use.argument];
    return use.is_behind && at ? *reinterpret_cast<const uptr*>(at) : at;
  }
  u64 size(const MemoryUse& use, u32 number, uptr at) const {
    const u64 most = use.a == MemoryUse::kNoArgument ? ~0ull : argument(use, use.a);
    switch (use.extent) {
    case MemoryUse::Extent::Bytes:
      return use.bytes;
    case MemoryUse::Extent::String:
      return length(reinterpret_cast<const char*>(at), most);
    case MemoryUse::Extent::WideString:
      return 4 * wide_length(reinterpret_cast<const wchar_t*>(at), most);
    case MemoryUse::Extent::Elements:
      return most * use.bytes;
    case MemoryUse::Extent::Product:
      return most * arguments[use.b];
    case MemoryUse::Extent::ResultMore:
      return min(u64(count()) + use.bytes, most);
    case MemoryUse::Extent::ResultTimes:
      return min(u64(count()), most) * use.bytes;
    case MemoryUse::Extent::ItemsResult:
      return u64(count()) * most;
    case MemoryUse::Extent::LengthBehind: {
      const u32* length = reinterpret_cast<const u32*>(arguments[use.a]);
      return length ? min(*length, lengths[number]) : 0;
    }
    }
    __builtin_unreachable();
  }
};

FR_COLD void check_uses(Thread* t, Caller caller, const Uses& uses, Call& call, bool is_over) {
  if (is_over && call.has_failed()) return;
  for (u32 i = 0; i < kMostUses; ++i) {
    const MemoryUse& use = uses.list[i];
    if (use.kind == MemoryUse::Kind::None) return;
    if (!is_over && use.extent == MemoryUse::Extent::LengthBehind && call.arguments[use.a])
      call.lengths[i] = *reinterpret_cast<const u32*>(call.arguments[use.a]);
    const bool is_write = is_over && use.kind != MemoryUse::Kind::Read;
    const bool is_read = !is_over && use.kind != MemoryUse::Kind::Written;
    if (!is_write && !is_read) continue;
    const uptr at = call.address(use);
    if (!at || (use.is_returned && call.result != at)) continue;
    const u64 size = call.size(use, i, at);
    constexpr u64 kAbsurd = 1ull << 46; // the call is going to fail, or to fault
    if (!size || size > kAbsurd) continue;
    if (is_write)
      check_write(t, caller, reinterpret_cast<const void*>(at), size);
    else
      check_read(t, caller, reinterpret_cast<const void*>(at), size);
  }
}

template <u32 count> struct Shape;
#define FR_SHAPE(count, ...)                                                                                 \
  template <> struct Shape<count> {                                                                          \
    using Function = u64(__VA_ARGS__);                                                                       \
  };
FR_SHAPE(1, u64)
FR_SHAPE(2, u64, u64)
FR_SHAPE(3, u64, u64, u64)
FR_SHAPE(4, u64, u64, u64, u64)
FR_SHAPE(5, u64, u64, u64, u64, u64)
FR_SHAPE(6, u64, u64, u64, u64, u64, u64)
FR_SHAPE(7, u64, u64, u64, u64, u64, u64, u64)
FR_SHAPE(8, u64, u64, u64, u64, u64, u64, u64, u64)

template <class... Arguments>
FR_INLINE u64 checked_call(Caller caller, const Uses& uses, Result kind, u64 (*real)(Arguments...),
                           Arguments... arguments) {
  if (!checked_caller(caller)) return real(arguments...);
  const u64 list[] = {arguments...};
  Call call = {list, kind, 0, {}};
  check_uses(checked_caller(caller), caller, uses, call, false);
  call.result = real(arguments...);
  if (Thread* t = checked_caller(caller)) check_uses(t, caller, uses, call, true);
  return call.result;
}

constexpr bool is_same(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}
constexpr bool is_sleep(const char* name) {
  return is_same(name, "nanosleep") || is_same(name, "clock_nanosleep");
}
FR_INLINE void has_slept(Caller caller) {
  if (Thread* t = checked_caller(caller)) thread_has_slept(t, caller.pc);
}

using namespace memory_uses;

} // namespace

#define FR_PARAMETERS_1 u64 a
#define FR_PARAMETERS_2 FR_PARAMETERS_1, u64 b
#define FR_PARAMETERS_3 FR_PARAMETERS_2, u64 c
#define FR_PARAMETERS_4 FR_PARAMETERS_3, u64 d
#define FR_PARAMETERS_5 FR_PARAMETERS_4, u64 e
#define FR_PARAMETERS_6 FR_PARAMETERS_5, u64 f
#define FR_PARAMETERS_7 FR_PARAMETERS_6, u64 g
#define FR_PARAMETERS_8 FR_PARAMETERS_7, u64 h
#define FR_ARGUMENTS_1 a
#define FR_ARGUMENTS_2 a, b
#define FR_ARGUMENTS_3 a, b, c
#define FR_ARGUMENTS_4 a, b, c, d
#define FR_ARGUMENTS_5 a, b, c, d, e
#define FR_ARGUMENTS_6 a, b, c, d, e, f
#define FR_ARGUMENTS_7 a, b, c, d, e, f, g
#define FR_ARGUMENTS_8 a, b, c, d, e, f, g, h
#define FR_USES(kind, name, count, ...)                                                                      \
  static constexpr Uses uses_of_##name = {{__VA_ARGS__}};                                                    \
  FR_INTERCEPTOR(u64, name, FR_PARAMETERS_##count) {                                                         \
    auto real = FR_REAL(name);                                                                               \
    const u64 result = checked_call(FR_CALLER(), uses_of_##name, kind, real, FR_ARGUMENTS_##count);          \
    if constexpr (is_sleep(#name)) has_slept(FR_CALLER());                                                   \
    return result;                                                                                           \
  }
#include "models/memory/uses.def"
#undef FR_USES
