// RUN: %e2e %s
// A handler comes after what its thread did before it registered it, also if another thread ends the process; what that thread did afterwards, and what others did, it may
// race with.
#include "e2e.h"

int before, other, later;
static struct InvisibleGate ready, gate;

static void at_exit(void) {
  before += 1; // NORACE: registered by the thread that wrote it
  later += 1;  // RACE(later)
}
static void with_status(int status, void* argument) {
  *(int*)argument += status; // NORACE
  other += 1;                // RACE(other)
}

static int passed;
static void* first(void* unused) {
  before = 1;
  passed = 2;
  atexit(at_exit);
  on_exit(with_status, &passed);
  later = 1; // RACE(later)
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  other = 1; // RACE(other)
  invisible_signal(&ready);
  return NULL;
}

int main(void) {
  pthread_detach(start(first, NULL));
  pthread_detach(start(second, NULL));
  invisible_wait(&ready, 1);
  return 0;
}
