// RUN: %e2e %s
// Joining by pthread_tryjoin_np, pthread_timedjoin_np and pthread_clockjoin_np orders as pthread_join does.
#include "e2e.h"
#include <time.h>

int data[3];

static void* body(void* argument) {
  data[(long)argument] = 1; // NORACE
  return argument;
}

int main(void) {
  void* result = NULL;
  struct timespec far = {0, 0};
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) threads[i] = start(body, (void*)i);
  while (pthread_tryjoin_np(threads[0], &result) != 0) sched_yield();
  KEEP(data[0]); // NORACE
  clock_gettime(CLOCK_REALTIME, &far);
  far.tv_sec += 20;
  require(pthread_timedjoin_np(threads[1], &result, &far) == 0 && (long)result == 1, "timedjoin");
  KEEP(data[1]); // NORACE
  clock_gettime(CLOCK_MONOTONIC, &far);
  far.tv_sec += 20;
  require(pthread_clockjoin_np(threads[2], &result, CLOCK_MONOTONIC, &far) == 0 && (long)result == 2,
          "clockjoin");
  KEEP(data[2]); // NORACE
}
