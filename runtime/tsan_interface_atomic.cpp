// <sanitizer/tsan_interface_atomic.h>: atomic operations that the program asks the detector to do. They are what
// instrumented code does in line: the operation between the entry points of abi/callbacks.def.
// Deviation: the operation itself is always sequentially consistent; the order that counts is the one asked for.
#include "runtime/interception.h"
#include "runtime/runtime.h"
#include "runtime/site_table.h"

#define FR_ATOMIC FR_EXPORT __attribute__((weak))

namespace footrace {
namespace {

using Void = void;
using Ptr = void*;
using I32 = u32;
using I64 = u64;
extern "C" {
#define FR_CALLBACK(symbol, result, ...) result symbol(__VA_ARGS__);
#include "abi/callbacks.def"
}

using u128 = unsigned __int128;

constexpr bool is_wide(u64 size) { return size == 16; }

// The only primitive for 16 bytes: a compiler without -mcx16 would call libatomic.
u128 exchange_if_equal(volatile u128* a, u128 expected, u128 desired) {
  u64 low = u64(expected), high = u64(expected >> 64);
  __asm__ volatile("lock cmpxchg16b %0"
                   : "+m"(*a), "+a"(low), "+d"(high)
                   : "b"(u64(desired)), "c"(u64(desired >> 64))
                   : "memory", "cc");
  return u128(high) << 64 | low;
}
template <class T> T exchange_if_equal(volatile T* a, T expected, T desired) {
  __atomic_compare_exchange_n(a, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

template <class T> T plain_load(const volatile T* a) {
  if constexpr (is_wide(sizeof(T)))
    return exchange_if_equal(const_cast<volatile T*>(a), T(0), T(0));
  else
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);
}

// Replaces the value by fn(value); gives the old one.
template <class T, class Fn> T plain_update(volatile T* a, Fn fn) {
  for (T seen = plain_load(a);;) {
    T found = exchange_if_equal(a, seen, T(fn(seen)));
    if (found == seen) return seen;
    seen = found;
  }
}

template <class T> void* begin(const volatile T* a, uptr pc, SiteKind kind, const char* function) {
  void* scope = __footrace_atomic_begin(const_cast<T*>(a), sizeof(T), nullptr);
  Thread* t = self(); // where the run is recorded there is no scope to see (runtime/atomics.cpp)
  if (t && t->atomic.object) t->atomic.site = pc_site(pc, kind, function);
  return scope;
}

template <class T> T load(const volatile T* a, int order, uptr pc, const char* function) {
  void* scope = begin(a, pc, SiteKind::AtomicLoad, function);
  T value = plain_load(a);
  __footrace_atomic_end_load(scope, u32(order));
  return value;
}

template <class T> void store(volatile T* a, T value, int order, uptr pc, const char* function) {
  void* scope = begin(a, pc, SiteKind::AtomicStore, function);
  plain_update(a, [=](T) { return value; });
  __footrace_atomic_end_store(scope, u32(order));
}

template <class T, class Fn> T update(volatile T* a, int order, uptr pc, const char* function, Fn fn) {
  void* scope = begin(a, pc, SiteKind::AtomicRmw, function);
  T old = plain_update(a, fn);
  __footrace_atomic_end_rmw(scope, u32(order));
  return old;
}

template <class T>
T compare_exchange(volatile T* a, T expected, T desired, int success, int failure, uptr pc,
                   const char* function) {
  void* scope = begin(a, pc, SiteKind::AtomicCas, function);
  T found = exchange_if_equal(a, expected, desired);
  __footrace_atomic_end_cas(scope, found == expected, u32(success), u32(failure));
  return found;
}

template <class T>
int compare_exchange_at(volatile T* a, T* expected, T desired, int success, int failure, uptr pc,
                        const char* function) {
  T wanted = *expected;
  *expected = compare_exchange(a, wanted, desired, success, failure, pc, function);
  return *expected == wanted;
}

} // namespace

// The header's types are signed, which decides how small ones are passed; we compute with T, unsigned, which may
// overflow.
#define FR_ATOMIC_UPDATE(bits, Public, T, name, expression)                                                  \
  FR_ATOMIC Public __tsan_atomic##bits##_##name(volatile Public* a, Public value, int order) {               \
    return Public(update(reinterpret_cast<volatile T*>(a), order, FR_CALLER_PC(), __func__,                  \
                         [v = T(value)]([[maybe_unused]] T old) { return T(expression); }));                 \
  }
#define FR_ATOMIC_COMPARE_EXCHANGE(bits, Public, T, strength)                                                \
  FR_ATOMIC int __tsan_atomic##bits##_compare_exchange_##strength(volatile Public* a, Public* expected,      \
                                                                  Public v, int success, int failure) {      \
    return compare_exchange_at(reinterpret_cast<volatile T*>(a), reinterpret_cast<T*>(expected), T(v),       \
                               success, failure, FR_CALLER_PC(), __func__);                                  \
  }
#define FR_ATOMICS(bits, Public, T)                                                                          \
  FR_ATOMIC Public __tsan_atomic##bits##_load(const volatile Public* a, int order) {                         \
    return Public(load(reinterpret_cast<const volatile T*>(a), order, FR_CALLER_PC(), __func__));            \
  }                                                                                                          \
  FR_ATOMIC void __tsan_atomic##bits##_store(volatile Public* a, Public v, int order) {                      \
    store(reinterpret_cast<volatile T*>(a), T(v), order, FR_CALLER_PC(), __func__);                          \
  }                                                                                                          \
  FR_ATOMIC_UPDATE(bits, Public, T, exchange, v)                                                             \
  FR_ATOMIC_UPDATE(bits, Public, T, fetch_add, old + v)                                                      \
  FR_ATOMIC_UPDATE(bits, Public, T, fetch_sub, old - v)                                                      \
  FR_ATOMIC_UPDATE(bits, Public, T, fetch_and, (old & v))                                                    \
  FR_ATOMIC_UPDATE(bits, Public, T, fetch_or, old | v)                                                       \
  FR_ATOMIC_UPDATE(bits, Public, T, fetch_xor, old ^ v)                                                      \
  FR_ATOMIC_UPDATE(bits, Public, T, fetch_nand, ~(old & v))                                                  \
  FR_ATOMIC_COMPARE_EXCHANGE(bits, Public, T, strong)                                                        \
  FR_ATOMIC_COMPARE_EXCHANGE(bits, Public, T, weak)                                                          \
  FR_ATOMIC Public __tsan_atomic##bits##_compare_exchange_val(volatile Public* a, Public expected, Public v, \
                                                              int success, int failure) {                    \
    return Public(compare_exchange(reinterpret_cast<volatile T*>(a), T(expected), T(v), success, failure,    \
                                   FR_CALLER_PC(), __func__));                                               \
  }
FR_ATOMICS(8, char, u8)
FR_ATOMICS(16, short, u16)
FR_ATOMICS(32, int, u32)
FR_ATOMICS(64, long, u64)
FR_ATOMICS(128, __int128, u128)

FR_ATOMIC void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __footrace_fence(u32(order));
}
FR_ATOMIC void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

} // namespace footrace
