// RUN: %e2e %s
// A program that fails keeps its own exit code, race or not.
// EXIT: 3
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  shared = (int)me; // RACE
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  run_many(2, body);
  return 3;
}
