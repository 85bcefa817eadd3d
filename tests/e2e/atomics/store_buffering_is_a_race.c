// RUN: %e2e %s
// Sequentially consistent accesses of different objects do not synchronise: what follows them races.
#include "e2e.h"

int x, y, data;
static struct InvisibleGate gate;

static void* first(void* unused) {
  data = 1; // RACE
  __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);
  KEEP(__atomic_load_n(&y, __ATOMIC_SEQ_CST));
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  __atomic_store_n(&y, 1, __ATOMIC_SEQ_CST);
  KEEP(data); // RACE
  return NULL;
}

int main(void) { run_two(first, second); }
