// RUN: %e2e %s
// A race on a global names the global.
// EXPECT-TEXT: a_well_named_global
#include "e2e.h"

int a_well_named_global[8];
static struct InvisibleGate gate;

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  a_well_named_global[2] = (int)me; // RACE
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
