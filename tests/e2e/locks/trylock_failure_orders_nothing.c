// RUN: %e2e %s
// A trylock that fails, and timed locks that time out, order nothing.
#include "e2e.h"
#include <errno.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int one, two, three;
static struct InvisibleGate gate, end;

static void* holder(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  one = 1;   // RACE(try)
  two = 1;   // RACE(timed)
  three = 1; // RACE(clock)
  pthread_mutex_lock(&mutex);
  invisible_signal(&gate);
  invisible_wait(&end, 1);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void* other(void* unused) {
  struct timespec past = {1, 0};
  invisible_wait(&gate, 1);
  require(pthread_mutex_trylock(&mutex) == EBUSY, "it is locked");
  KEEP(one); // RACE(try)
  require(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT, "it is locked");
  KEEP(two); // RACE(timed)
  require(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT, "it is locked");
  KEEP(three); // RACE(clock)
  invisible_signal(&end);
  return NULL;
}

int main(void) { run_two(holder, other); }
