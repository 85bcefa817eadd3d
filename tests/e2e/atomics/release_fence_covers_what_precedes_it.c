// RUN: %e2e %s
// A release fence covers what was written before it, not what was written between it and the relaxed store.
#include "e2e.h"

int before, after, flag;

static void* writer(void* unused) {
  before = 1; // NORACE
  __atomic_thread_fence(__ATOMIC_RELEASE);
  after = 1; // RACE
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void* reader(void* unused) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) sched_yield();
  KEEP(before); // NORACE
  KEEP(after);  // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
