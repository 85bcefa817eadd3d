// RUN: %e2e %s
// An atomic and a plain access of one object race if one of them writes; two reads do not.
#include "e2e.h"

int one, two, three;
static struct InvisibleGate gate;

static void* first(void* unused) {
  __atomic_store_n(&one, 1, __ATOMIC_SEQ_CST); // RACE(store)
  two = 1;                                     // RACE(load)
  KEEP(three);                                 // NORACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(one);                                       // RACE(store)
  KEEP(__atomic_load_n(&two, __ATOMIC_RELAXED));   // RACE(load)
  KEEP(__atomic_load_n(&three, __ATOMIC_RELAXED)); // NORACE
  return NULL;
}

int main(void) { run_two(first, second); }
