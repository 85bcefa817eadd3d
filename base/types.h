// Freestanding vocabulary shared by everything that may run inside the user's program.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace footrace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;
using uptr = uintptr_t;

#define FR_LIKELY(x) __builtin_expect(!!(x), 1)
#define FR_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FR_INLINE inline __attribute__((always_inline))
#define FR_NOINLINE __attribute__((noinline))
#define FR_COLD __attribute__((noinline, cold))
// Keeps all registers of its caller but r11 and those of vectors.
#define FR_KEEPS_REGISTERS __attribute__((preserve_most))

template <class T> constexpr T min(T a, T b) { return a < b ? a : b; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
constexpr u64 round_up(u64 x, u64 to) { return (x + to - 1) & ~(to - 1); }
constexpr u64 round_down(u64 x, u64 to) { return x & ~(to - 1); }

} // namespace footrace
