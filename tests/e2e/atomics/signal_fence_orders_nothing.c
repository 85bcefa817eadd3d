// RUN: %e2e %s
// atomic_signal_fence constrains the compiler only: no order between threads.
#include "e2e.h"

int data, flag;

static void* writer(void* unused) {
  data = 1; // RACE
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void* reader(void* unused) {
  while (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) sched_yield();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  KEEP(data); // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
