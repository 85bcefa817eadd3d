// RUN: %e2e %s
// Ten thousand detached threads that end by themselves: no leak of thread slots, no report.
// LEVELS: O2
// TIMEOUT: 60
#include "e2e.h"
#include <semaphore.h>

static sem_t limit;
int counter;

static void* body(void* unused) {
  __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
  sem_post(&limit);
  return NULL;
}

int main(void) {
  sem_init(&limit, 0, 16);
  for (int i = 0; i < 10000; ++i) {
    sem_wait(&limit);
    pthread_detach(start(body, NULL));
  }
  for (int i = 0; i < 16; ++i) sem_wait(&limit);
  require(__atomic_load_n(&counter, __ATOMIC_RELAXED) == 10000, "all ran");
}
