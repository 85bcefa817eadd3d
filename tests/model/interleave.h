// Included before everything else in the core's sources when they are compiled for the explorer: whatever they do to the words of the
// shadow (load_word, store_word and swap_word of check/cell.h) becomes a scheduling point. Nothing in those sources knows of it.
#pragma once

#include "base/types.h"

namespace footrace::model {

void wait();
// Called around every operation on memory; operations elsewhere than in the shadow just happen (protocol.cpp).
void before_load(const volatile void* p, u64 size);
void after_load(const volatile void* p, u64 size, u64 value);
void before_store(const volatile void* p, u64 size, u64 value);
void after_store(const volatile void* p, u64 size, u64 value);
void before_swap(const volatile void* p, u64 size, u64 expected, u64 value);
void after_swap(const volatile void* p, u64 size, u64 expected, u64 value, bool done);

template <class T> FR_INLINE T load(const T* p) {
  before_load(p, sizeof(T));
  T value = __atomic_load_n(p, __ATOMIC_SEQ_CST);
  after_load(p, sizeof(T), (u64)value);
  return value;
}
template <class T, class V> FR_INLINE void store(T* p, V value) {
  before_store(p, sizeof(T), (u64)value);
  __atomic_store_n(p, T(value), __ATOMIC_SEQ_CST);
  after_store(p, sizeof(T), (u64)value);
}
template <class T, class V> FR_INLINE bool swap(T* p, T* expected, V value) {
  const T was_expected = *expected;
  before_swap(p, sizeof(T), (u64)was_expected, (u64)value);
  bool done = __atomic_compare_exchange_n(p, expected, T(value), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  after_swap(p, sizeof(T), (u64)was_expected, (u64)value, done);
  return done;
}

} // namespace footrace::model

#define __builtin_ia32_pause() ::footrace::model::wait() // yield_cpu is wrapped by the linker
#define __atomic_load_n(p, order) ::footrace::model::load(p)
#define __atomic_store_n(p, value, order) ::footrace::model::store(p, value)
#define __atomic_compare_exchange_n(p, expected, value, weak, done, failed)                                  \
  ::footrace::model::swap(p, expected, value)
