// Deliberately wrong: the lines race, but with other partners than the labels say.
// LEVELS: O1
#include "e2e.h"

int one, two;
static struct InvisibleGate gate;

static void* first(void* unused) {
  one = 1; // RACE(a)
  two = 1; // RACE(b)
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(one); // RACE(b)
  KEEP(two); // RACE(a)
  return NULL;
}

int main(void) { run_two(first, second); }
