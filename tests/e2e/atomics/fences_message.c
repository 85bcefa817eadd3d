// RUN: %e2e %s
// A release fence before a relaxed store and an acquire fence after the relaxed load that reads it order the
// data.
#include "e2e.h"

int data, more, flag, second_flag;

static void* writer(void* unused) {
  data = 1; // NORACE
  more = 1; // NORACE
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&second_flag, 1, __ATOMIC_RELAXED); // the fence covers every later store
  return NULL;
}

static void* reader(void* unused) {
  while (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) sched_yield();
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  KEEP(data); // NORACE
  return NULL;
}

static void* acquiring_reader(void* unused) {
  while (!__atomic_load_n(&second_flag, __ATOMIC_ACQUIRE)) sched_yield();
  KEEP(more); // NORACE
  return NULL;
}

int main(void) { run_three(writer, reader, acquiring_reader); }
