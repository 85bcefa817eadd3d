// RUN: %e2e %s
// FLAGS: --precision=address
// With address precision each variable has its own check: the same races as through proxies.
#include "e2e.h"

static int f, g;
static struct {
  long a, gap, b;
} pair;
static struct InvisibleGate gate;
static volatile int seed = 5; // not known to the compiler, which would make less of the variables

__attribute__((noinline)) static void put(int value) {
  f = value;      // RACE(f)
  g = value;      // RACE(g)
  pair.a = value; // RACE(a)
  pair.b = value; // RACE(b)
}

static void* first(void* unused) {
  put(seed);
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  put(seed);
  return NULL;
}

int main(void) {
  run_two(first, second);
  KEEP(f + g + pair.a + pair.b); // NORACE: the threads are over
}
