// RUN: %e2e %s
// Both are always written together, in either order; and what a third function touches alone has no proxy.
#include "e2e.h"

static int f, g;
static int alone, never_alone;
static struct InvisibleGate gate;
static volatile int seed = 5; // not known to the compiler, which would make less of the variables

__attribute__((noinline)) static void forwards(int value) {
  f = value; // RACE(f)
  g = value; // RACE(g)
}
__attribute__((noinline)) static void backwards(int value) {
  g = value; // RACE(g)
  f = value; // RACE(f)
}
__attribute__((noinline)) static void both(int value) {
  alone = value; // RACE(alone)
  never_alone = value;
}
__attribute__((noinline)) static void one(int value) {
  alone = value; // RACE(alone)
}

static void* first(void* unused) {
  forwards(seed);
  both(seed);
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  backwards(seed);
  one(seed);
  return NULL;
}

int main(void) {
  run_two(first, second);
  KEEP(f + g); // NORACE: the threads are over
  KEEP(alone + never_alone);
}
