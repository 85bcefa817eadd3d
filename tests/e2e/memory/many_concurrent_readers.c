// RUN: %e2e %s
// Any number of unordered readers, then a writer ordered after all of them: no race.
#include "e2e.h"

int shared = 1;
static struct InvisibleGate gate;

static void* reader(void* unused) {
  KEEP(shared); // NORACE
  invisible_signal(&gate);
  invisible_wait(&gate, 40);
  KEEP(shared); // NORACE
  return NULL;
}

int main(void) {
  run_many(40, reader);
  shared = 2; // NORACE
}
