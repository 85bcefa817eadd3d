// RUN: %e2e %s
// Cancellation at sem_wait, at pthread_testcancel and at join: the joiner is ordered after what the thread
// did.
#include "e2e.h"
#include <semaphore.h>

static sem_t never;
int data[3];

static void* in_semaphore(void* unused) {
  data[0] = 1; // NORACE
  for (;;) sem_wait(&never);
}

static void* in_testcancel(void* unused) {
  data[1] = 1; // NORACE
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
}

static void* in_join(void* other) {
  data[2] = 1; // NORACE
  pthread_join(*(pthread_t*)other, NULL);
  return NULL;
}

int main(void) {
  sem_init(&never, 0, 0);
  pthread_t one = start(in_semaphore, NULL), two = start(in_testcancel, NULL), three = start(in_join, &one);
  pthread_cancel(three);
  join(three);
  pthread_cancel(two);
  join(two);
  pthread_cancel(one);
  join(one);
  KEEP(data[0] + data[1] + data[2]); // NORACE
}
