// RUN: %e2e %s
// Position-dependent executables (-no-pie) are checked, and their lines and globals are known.
// FLAGS: -fno-pie -no-pie
// EXPECT-TEXT: at_a_fixed_address
#include "e2e.h"

int at_a_fixed_address;
static struct InvisibleGate gate;

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  at_a_fixed_address = (int)me; // RACE
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
