// RUN: %e2e %s
// The option exitcode changes the code that says "races found".
// OPTIONS: exitcode=7
// EXIT: 7
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
