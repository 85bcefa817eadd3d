// Included before everything else in the protocol's sources when they are compiled for the explorer: whatever they do to the shadow's
// planes becomes a scheduling point. Nothing in those sources knows of it.
#pragma once

#include "base/types.h"

namespace footrace::model {

void wait();
// Called around every operation on memory; operations elsewhere than in the shadow just happen (protocol.cpp).
void before_load(const volatile void* p, u64 size);
void after_load(const volatile void* p, u64 size, u64 value);
void before_store(const volatile void* p, u64 size, u64 value);
void after_store(const volatile void* p, u64 size, u64 value);
void before_swap(const volatile void* cell);
void after_swap(const volatile void* cell, u64 old_w, u64 old_r, u64 w, u64 r, bool done);

template <class T>
FR_INLINE T load(const T* p) { // in line: before_load tells places apart by its return address
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

} // namespace footrace::model

#define __builtin_ia32_pause() ::footrace::model::wait() // yield_cpu is wrapped by the linker
#define __atomic_load_n(p, order) ::footrace::model::load(p)
#define __atomic_store_n(p, value, order) ::footrace::model::store(p, value)

#include "shadow/cell.h"

namespace footrace::model {

FR_INLINE bool swap(Cell* cell, u64 old_w, u64 old_r, u64 w, u64 r) {
  before_swap(cell);
  bool done = swap_cell(cell, old_w, old_r, w, r);
  after_swap(cell, old_w, old_r, w, r, done);
  return done;
}

} // namespace footrace::model

#define swap_cell(...) ::footrace::model::swap(__VA_ARGS__)
