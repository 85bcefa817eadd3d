// RUN: %e2e %s
// Nothing orders a detached thread before its creator, even after it has ended.
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* body(void* unused) {
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  pthread_detach(start(body, NULL));
  invisible_wait(&gate, 1);
  KEEP(shared); // RACE
}
