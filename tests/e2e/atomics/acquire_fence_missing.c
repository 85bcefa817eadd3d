// RUN: %e2e %s
// Without the reader's fence a relaxed load acquires nothing; a fence before the load is none after it.
#include "e2e.h"

int data, flag;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  data = 1; // RACE
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  require(__atomic_load_n(&flag, __ATOMIC_RELAXED), "the flag is set");
  KEEP(data); // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
