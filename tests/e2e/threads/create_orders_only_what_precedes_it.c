// RUN: %e2e %s
// What the parent does after pthread_create is not ordered with the child.
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* body(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(shared); // RACE
  return NULL;
}

int main(void) {
  pthread_t thread = start(body, NULL);
  shared = 1; // RACE
  invisible_signal(&gate);
  join(thread);
}
