// RUN: %e2e %s
// Phases are exact: what a fast thread does between two phases is not ordered before what a slow leaver of
// the first phase does, although the fast thread has arrived at the barrier again by then.
// RUNS: 5
#include "e2e.h"

static pthread_barrier_t barrier;
int shared;
static struct InvisibleGate gate;

static void* fast(void* unused) {
  pthread_barrier_wait(&barrier);
  shared = 1; // RACE
  invisible_signal(&gate);
  pthread_barrier_wait(&barrier);
  return NULL;
}

static void* slow(void* unused) {
  pthread_barrier_wait(&barrier);
  invisible_wait(&gate, 1);
  for (int i = 0; i < 10; ++i) sched_yield();
  shared = 2; // RACE
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(slow, fast);
}
