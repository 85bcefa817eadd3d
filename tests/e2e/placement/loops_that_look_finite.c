// RUN: %e2e %s
// RUNS: 1
// Loops whose end depends on what others do, or that wrap around: a check is not put off to an end that may not come. The program leaves from within.
#include "e2e.h"

enum { count = 64 };
volatile unsigned limit = count;
int by_limit[count], by_step[count];
volatile unsigned step = 1;
static struct InvisibleGate gate;

__attribute__((noinline)) static void tell(unsigned i) {
  if (i == 40) invisible_signal(&gate);
  if (i == 41) {
    invisible_wait(&gate, 3);
    exit(0);
  }
}

static void* endless(void* unused) {
  for (unsigned i = 0;; i = (i + step) % count) {
    by_step[i] = 1; // RACE(step)
    if (i == 40) {
      invisible_signal(&gate);
      invisible_wait(&gate, 100); // never
    }
  }
}

static void* visitor(void* unused) {
  invisible_wait(&gate, 2);
  by_step[40] = 2; // RACE(step)
  by_step[41] = 2;
  by_limit[40] = 2; // RACE(limit)
  by_limit[42] = 2;
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  start(endless, NULL);
  start(visitor, NULL);
  for (unsigned i = 0; i != limit; ++i) {
    by_limit[i] = 1; // RACE(limit)
    tell(i);
  }
}
