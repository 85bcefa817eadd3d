// RUN: %e2e %s
// Since C++20 even the releasing thread's own relaxed store cuts its release sequence.
#include "e2e.h"

int data, flag;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  data = 1; // RACE
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&flag, 2, __ATOMIC_RELAXED);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  require(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2, "the reader sees the relaxed store");
  KEEP(data); // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
