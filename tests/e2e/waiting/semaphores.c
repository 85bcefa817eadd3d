// RUN: %e2e %s
// A post is ordered before the wait that it lets through, by each way to wait, unnamed and named.
#include "e2e.h"
#include <fcntl.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static sem_t unnamed;
static sem_t* named;
int data[5];

static void* poster(void* unused) {
  for (int i = 0; i < 4; ++i) {
    data[i] = i; // NORACE
    sem_post(&unnamed);
  }
  data[4] = 4; // NORACE
  sem_post(named);
  return NULL;
}

static void* waiter(void* unused) {
  struct timespec far = {0, 0};
  sem_wait(&unnamed);
  KEEP(data[0]); // NORACE
  while (sem_trywait(&unnamed) != 0) sched_yield();
  KEEP(data[1]); // NORACE
  clock_gettime(CLOCK_REALTIME, &far);
  far.tv_sec += 20;
  sem_timedwait(&unnamed, &far);
  KEEP(data[2]); // NORACE
  clock_gettime(CLOCK_MONOTONIC, &far);
  far.tv_sec += 20;
  sem_clockwait(&unnamed, CLOCK_MONOTONIC, &far);
  KEEP(data[3]); // NORACE
  sem_wait(named);
  KEEP(data[4]); // NORACE
  return NULL;
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/footrace-e2e-%d", getpid());
  named = sem_open(name, O_CREAT, 0600, 0);
  bool has_named = named != SEM_FAILED; // a bare chroot has no /dev/shm
  if (has_named) sem_unlink(name);
  sem_t substitute;
  sem_init(&substitute, 0, 0);
  if (!has_named) named = &substitute;
  sem_init(&unnamed, 0, 0);
  run_two(poster, waiter);
  if (has_named) sem_close(named);
  sem_destroy(&substitute);
  sem_destroy(&unnamed);
}
