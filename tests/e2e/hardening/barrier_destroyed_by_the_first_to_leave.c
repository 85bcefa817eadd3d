// RUN: %e2e %s
// Whoever leaves a barrier first may destroy it and free its memory; the others come after all arrivals nevertheless.
#include "e2e.h"

int configuration;

static void* user(void* barrier) {
  pthread_barrier_wait(barrier);
  KEEP(configuration); // NORACE
  return NULL;
}

int main(void) {
  for (int i = 0; i < 3000; ++i) {
    pthread_barrier_t* barrier = malloc(sizeof *barrier);
    require(pthread_barrier_init(barrier, NULL, 2) == 0, "pthread_barrier_init");
    pthread_t thread = start(user, barrier);
    configuration = i; // NORACE
    pthread_barrier_wait(barrier);
    require(pthread_barrier_destroy(barrier) == 0, "pthread_barrier_destroy");
    free(barrier);
    join(thread);
  }
}
