// RUN: %e2e %s
// As loop_check_names_the_access, with the loop second: its check finds the race, and where the check began is known exactly. The loop goes
// downwards and in steps.
// EXPECT-TEXT: [Ww]rite of size 4
// REJECT-TEXT: ([Rr]ead|[Ww]rite) of size [0-9][0-9]
#include "e2e.h"

enum { count = 300 };
int numbers[count];
static struct InvisibleGate gate;

static void* visitor(void* unused) {
  numbers[150] = 1; // RACE(even)
  numbers[151] = 1; // NORACE: the loop leaves odd ones out
  invisible_signal(&gate);
  return NULL;
}

static void* walker(void* unused) {
  invisible_wait(&gate, 1);
  for (int i = count - 2; i >= 0; i -= 2) {
    numbers[i] = i; // RACE(even)
  }
  return NULL;
}

int main(void) { run_two(visitor, walker); }
