// RUN: %e2e %s
// Five million lock/unlock pairs in each thread between the two accesses: a detector whose clocks roll over
// forgets.
// LEVELS: O2
// TIMEOUT: 120
// PINNED: no
#include "e2e.h"

enum { pairs = 5000000 };
int shared;
static struct InvisibleGate gate;

static void lock_often(void) {
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < pairs; ++i) {
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
  }
}

static void* first(void* unused) {
  shared = 1; // RACE
  lock_often();
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  lock_often();
  invisible_wait(&gate, 1);
  shared = 2; // RACE
  return NULL;
}

int main(void) { run_two(first, second); }
