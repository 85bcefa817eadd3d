// RUN: %e2e %s
// Sequentially consistent and acq_rel fences are release and acquire fences, too; also around
// read-modify-writes.
#include "e2e.h"

int data, more, flag, count;

static void* writer(void* unused) {
  data = 1; // NORACE
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  more = 1; // NORACE
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void* reader(void* unused) {
  while (!__atomic_load_n(&flag, __ATOMIC_RELAXED)) sched_yield();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  KEEP(data); // NORACE
  while (!__atomic_fetch_add(&count, 0, __ATOMIC_RELAXED)) sched_yield();
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  KEEP(more); // NORACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
