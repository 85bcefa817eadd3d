// RUN: %e2e %s
// A plain write races with an earlier unordered atomic load, also with that of a read-modify-write.
#include "e2e.h"

int one, two;
static struct InvisibleGate gate;

static void* reader(void* unused) {
  KEEP(__atomic_load_n(&one, __ATOMIC_ACQUIRE)); // RACE(load)
  __atomic_fetch_add(&two, 1, __ATOMIC_RELAXED); // RACE(rmw)
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  one = 1; // RACE(load)
  two = 1; // RACE(rmw)
  return NULL;
}

int main(void) { run_two(reader, writer); }
