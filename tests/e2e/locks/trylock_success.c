// RUN: %e2e %s
// A successful trylock acquires; so do timedlock and clocklock.
#include "e2e.h"
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void lock(int way) {
  struct timespec far = {0, 0};
  clock_gettime(way == 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &far);
  far.tv_sec += 20;
  if (way == 0)
    while (pthread_mutex_trylock(&mutex) != 0) sched_yield();
  if (way == 1) require(pthread_mutex_timedlock(&mutex, &far) == 0, "timedlock");
  if (way == 2) require(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &far) == 0, "clocklock");
}

static void* body(void* unused) {
  for (int i = 0; i < 300; ++i) {
    lock(i % 3);
    ++counter; // NORACE
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  run_many(3, body);
  require(counter == 900, "the mutex excludes"); // NORACE
}
