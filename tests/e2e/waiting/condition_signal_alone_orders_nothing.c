// RUN: %e2e %s
// A signal that is sent without the mutex orders nothing by itself: the data races, though the waiter was
// woken.
#include "e2e.h"
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int data, ready;

static void* writer(void* unused) {
  data = 1; // RACE
  __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
  pthread_cond_signal(&changed);
  return NULL;
}

static void* waiter(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!__atomic_load_n(&ready, __ATOMIC_RELAXED)) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = (soon.tv_nsec + 1000000) % 1000000000;
    pthread_cond_timedwait(&changed, &mutex, &soon);
  }
  pthread_mutex_unlock(&mutex);
  KEEP(data); // RACE
  return NULL;
}

int main(void) { run_two(writer, waiter); }
