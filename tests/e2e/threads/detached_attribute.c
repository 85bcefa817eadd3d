// RUN: %e2e %s
// Threads created detached that report by semaphore: no race, and their resources are reused.
#include "e2e.h"
#include <semaphore.h>

int slots[200];
static sem_t done;

static void* body(void* argument) {
  *(int*)argument = 1; // NORACE
  sem_post(&done);
  return NULL;
}

int main(void) {
  sem_init(&done, 0, 0);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (int i = 0; i < 200; ++i) {
    pthread_t thread;
    require(pthread_create(&thread, &detached, body, &slots[i]) == 0, "pthread_create");
    if (i % 8 == 7)
      for (int k = 0; k < 8; ++k) sem_wait(&done);
  }
  int sum = 0;
  for (int i = 0; i < 200; ++i) sum += slots[i]; // NORACE
  require(sum == 200, "all ran");
}
