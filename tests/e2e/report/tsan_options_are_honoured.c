// RUN: %e2e %s
// Options that TSan users have in TSAN_OPTIONS count; FOOTRACE_OPTIONS wins; options only TSan knows are
// ignored.
// ENV: TSAN_OPTIONS=exitcode=9:second_deadlock_stack=1
// REJECT-TEXT: second_deadlock_stack
// EXIT: 9
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
