// RUN: %e2e %s
// Readers share a rwlock, writers exclude: no race, with each way to take it.
#include "e2e.h"
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data;

static void take(int way, int write) {
  struct timespec far = {0, 0};
  clock_gettime(way == 3 ? CLOCK_MONOTONIC : CLOCK_REALTIME, &far);
  far.tv_sec += 20;
  int (*timed)(pthread_rwlock_t*, const struct timespec*) =
      write ? pthread_rwlock_timedwrlock : pthread_rwlock_timedrdlock;
  if (way == 0) write ? pthread_rwlock_wrlock(&lock) : pthread_rwlock_rdlock(&lock);
  if (way == 1)
    while ((write ? pthread_rwlock_trywrlock(&lock) : pthread_rwlock_tryrdlock(&lock)) != 0) sched_yield();
  if (way == 2) require(timed(&lock, &far) == 0, "timed");
  if (way == 3 && write) require(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &far) == 0, "clock");
  if (way == 3 && !write) require(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &far) == 0, "clock");
}

static void* body(void* argument) {
  for (int i = 0; i < 100; ++i) {
    take(i % 4, 0);
    KEEP(data); // NORACE
    pthread_rwlock_unlock(&lock);
    take((i + 1) % 4, 1);
    ++data; // NORACE
    pthread_rwlock_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  run_many(4, body);
  require(data == 400, "writers exclude"); // NORACE
}
