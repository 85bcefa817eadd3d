// RUN: %e2e %s
// main returns while other threads are busy with locks, atomics and memory: the process ends, without a
// report.
#include "e2e.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
long counter, ticks;

static void* busy(void* unused) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    ++counter; // NORACE
    pthread_mutex_unlock(&mutex);
    __atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
    free(malloc(100));
  }
}

int main(void) {
  for (int i = 0; i < 4; ++i) pthread_detach(start(busy, NULL));
  while (__atomic_load_n(&ticks, __ATOMIC_RELAXED) < 1000) sched_yield();
  return 0;
}
