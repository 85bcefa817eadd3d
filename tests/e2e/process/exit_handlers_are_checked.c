// RUN: %e2e %s
// A race that happens in an atexit handler, while main has ended, is reported and counted.
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* body(void* unused) {
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void at_exit(void) {
  invisible_wait(&gate, 1);
  shared = 2; // RACE
}

int main(void) {
  atexit(at_exit);
  pthread_detach(start(body, NULL));
}
