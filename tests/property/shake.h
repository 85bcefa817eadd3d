// Included before everything else when check/ is compiled for the stress test: now and then a thread is held up for a moment before it touches the
// shadow, so that others come between any two of its operations. Nothing in the sources knows of it.
#pragma once

#include "base/types.h"

#include <sched.h>

namespace footrace {

inline thread_local u32 t_shake = u32(reinterpret_cast<uptr>(&t_shake) >> 4 | 1);

FR_INLINE void shake() {
  u32& x = t_shake; // xorshift
  x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  if (FR_LIKELY(x % 32)) return;
  if (x % 256 == 0) sched_yield();
  for (u32 spins = x >> 8 & 127; spins--;) __builtin_ia32_pause();
}

} // namespace footrace

#define __atomic_load_n(p, order) (::footrace::shake(), __atomic_load_n(p, order))
#define __atomic_store_n(p, value, order) (::footrace::shake(), __atomic_store_n(p, value, order))
#define __atomic_compare_exchange_n(p, expected, value, weak, success, failure)                              \
  (::footrace::shake(), __atomic_compare_exchange_n(p, expected, value, weak, success, failure))
