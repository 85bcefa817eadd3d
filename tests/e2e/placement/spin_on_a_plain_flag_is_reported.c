// RUN: %e2e %s
// A loop that waits for a plain variable may never end if the compiler keeps it in a register; the check of what it reads must not wait for its
// end. The loop gives up after a while, which no analysis can know.
#include "e2e.h"

volatile int ready;
static struct InvisibleGate gate;

static void* waiter(void* unused) {
  long tries = 0;
  while (!ready) // RACE(ready)
    if (++tries == 1000) invisible_signal(&gate);
  return NULL;
}

static void* setter(void* unused) {
  invisible_wait(&gate, 1);
  ready = 1; // RACE(ready)
  return NULL;
}

int main(void) { run_two(waiter, setter); }
