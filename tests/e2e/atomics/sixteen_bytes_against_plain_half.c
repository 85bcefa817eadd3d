// RUN: %e2e %s
// A 16-byte atomic covers both halves: a plain read of the upper half races with it, and so does one of the
// lower.
// REQUIRES: cx16
// FLAGS: -mcx16
#include "e2e.h"

union {
  __int128 whole;
  long halves[2];
} one, two;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  __atomic_store_n(&one.whole, (__int128)1 << 64, __ATOMIC_RELAXED); // RACE(upper)
  __atomic_store_n(&two.whole, 1, __ATOMIC_SEQ_CST);                 // RACE(lower)
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(one.halves[1]); // RACE(upper)
  KEEP(two.halves[0]); // RACE(lower)
  return NULL;
}

int main(void) { run_two(writer, reader); }
