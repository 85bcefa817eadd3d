// RUN: %e2e %s
// A barrier orders everything before it with everything after it, phase by phase.
#include "e2e.h"

enum { threads = 4, phases = 50 };
static pthread_barrier_t barrier;
int cells[threads];

static void* body(void* argument) {
  long me = (long)argument;
  for (int i = 0; i < phases; ++i) {
    cells[me] = i; // NORACE
    pthread_barrier_wait(&barrier);
    for (int k = 0; k < threads; ++k) require(cells[k] == i, "the phase is complete"); // NORACE
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, threads);
  run_many(threads, body);
  pthread_barrier_destroy(&barrier);
}
