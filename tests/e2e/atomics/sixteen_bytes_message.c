// RUN: %e2e %s
// 16-byte atomics synchronise as others do: store, load, exchange, compare-exchange, arithmetic.
// REQUIRES: cx16
// FLAGS: -mcx16
#include "e2e.h"

__int128 flag;
int data[4];

static void* writer(void* unused) {
  data[0] = 1; // NORACE
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  data[1] = 1; // NORACE
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELEASE);
  data[2] = 1; // NORACE
  __int128 expected = 2;
  __atomic_compare_exchange_n(&flag, &expected, 3, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  data[3] = 1; // NORACE
  __atomic_exchange_n(&flag, 4, __ATOMIC_SEQ_CST);
  return NULL;
}

static void* reader(void* unused) {
  for (int i = 0; i < 4; ++i) {
    while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) <= i) sched_yield();
    KEEP(data[i]); // NORACE
  }
  return NULL;
}

int main(void) { run_two(writer, reader); }
