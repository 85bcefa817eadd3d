// RUN: %e2e %s
// The main thread may leave with pthread_exit; the process ends with the last thread, and its race still
// counts.
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* first(void* unused) {
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  shared = 2; // RACE
  return NULL;
}

int main(void) {
  pthread_detach(start(first, NULL));
  pthread_detach(start(second, NULL));
  pthread_exit(NULL);
}
