// RUN: %e2e %s
// A race that happens a thousand times is reported once.
#include "e2e.h"

int counter;
static struct InvisibleGate turn;

static void* body(void* argument) {
  long me = (long)argument;
  for (int i = 0; i < 1000; ++i) {
    invisible_wait(&turn, 2 * i + (int)me);
    counter = i; // RACE
    invisible_signal(&turn);
  }
  return NULL;
}

int main(void) { run_many(2, body); }
