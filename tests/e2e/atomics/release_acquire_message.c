// RUN: %e2e %s
// A store of every releasing order, read by a load of every acquiring order, orders the data behind it.
#include "e2e.h"

enum { ways = 9 };
int data[ways], flag[ways];

static void* writer(void* unused) {
  for (int i = 0; i < ways; ++i) {
    data[i] = i; // NORACE
    if (i % 3 == 0) __atomic_store_n(&flag[i], 1, __ATOMIC_RELEASE);
    if (i % 3 == 1) __atomic_store_n(&flag[i], 1, __ATOMIC_SEQ_CST);
    if (i % 3 == 2) __atomic_exchange_n(&flag[i], 1, __ATOMIC_ACQ_REL);
  }
  return NULL;
}

static int load(int i) {
  if (i / 3 == 0) return __atomic_load_n(&flag[i], __ATOMIC_ACQUIRE);
  if (i / 3 == 1) return __atomic_load_n(&flag[i], __ATOMIC_SEQ_CST);
  return __atomic_load_n(&flag[i], __ATOMIC_CONSUME);
}

static void* reader(void* unused) {
  for (int i = 0; i < ways; ++i) {
    while (!load(i)) sched_yield();
    KEEP(data[i]); // NORACE
  }
  return NULL;
}

int main(void) { run_two(writer, reader); }
