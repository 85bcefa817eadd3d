// RUN: %e2e %s
// An option that does not exist is warned about by name; the run goes on.
// OPTIONS: no_such_option=1
// EXPECT-TEXT: no_such_option
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

int main(void) { run_many(2, body); }
