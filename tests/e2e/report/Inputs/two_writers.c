// The simplest race, for tests that are about the report and not about the program.
#include "e2e.h"

int shared_counter;
static struct InvisibleGate gate;

__attribute__((noinline)) void writing_function(int value) {
  shared_counter = value;
  ESCAPE(&shared_counter);
}

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  writing_function((int)me);
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
