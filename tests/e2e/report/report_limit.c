// RUN: %e2e %s
// report_limit bounds the number of reports, says so, and the exit code still tells.
// OPTIONS: report_limit=1
// EXPECT-TEXT: report_limit
#include "e2e.h"

int one, two;
static struct InvisibleGate gate;

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  one = (int)me; // RACE
  two = (int)me; // beyond the limit
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
