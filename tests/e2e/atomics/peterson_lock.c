// RUN: %e2e %s
// Peterson's lock from sequentially consistent operations protects plain data.
#include "e2e.h"

int wants[2], turn;
long counter;

static void* body(void* argument) {
  long me = (long)argument, other = 1 - me;
  for (int i = 0; i < 1000; ++i) {
    __atomic_store_n(&wants[me], 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&turn, (int)other, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&wants[other], __ATOMIC_SEQ_CST) &&
           __atomic_load_n(&turn, __ATOMIC_SEQ_CST) == other)
      sched_yield();
    ++counter; // NORACE
    __atomic_store_n(&wants[me], 0, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

int main(void) {
  run_many(2, body);
  require(counter == 2000, "the lock excludes");
}
