// RUN: %e2e %s
// A timed wait that times out holds the mutex again: what others did under it in the meantime is ordered.
#include "e2e.h"
#include <errno.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int data, waiting;

static void* waiter(void* unused) {
  struct timespec past = {1, 0};
  pthread_mutex_lock(&mutex);
  waiting = 1; // NORACE
  for (int seen = 0; !seen;) {
    require(pthread_cond_timedwait(&never, &mutex, &past) == ETIMEDOUT, "it times out");
    seen = data; // NORACE
  }
  data = 2; // NORACE
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void* writer(void* unused) {
  for (int done = 0; !done; sched_yield()) {
    pthread_mutex_lock(&mutex);
    if (waiting) data = done = 1; // NORACE
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) { run_two(waiter, writer); }
