// RUN: %e2e %s
// Without the writer's fence the relaxed store publishes nothing, whatever the reader does.
#include "e2e.h"

int data, flag;

static void* writer(void* unused) {
  data = 1; // RACE
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE); // too late
  return NULL;
}

static void* reader(void* unused) {
  while (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) sched_yield();
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  KEEP(data); // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
