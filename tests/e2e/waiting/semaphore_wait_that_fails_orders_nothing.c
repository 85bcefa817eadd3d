// RUN: %e2e %s
// sem_trywait with EAGAIN and sem_timedwait with ETIMEDOUT order nothing; nor does a post order who does not
// wait.
#include "e2e.h"
#include <errno.h>
#include <semaphore.h>

static sem_t taken, posted;
int one, two, three;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  sem_post(&taken);
  sem_wait(&taken);
  one = 1;   // RACE(try)
  two = 1;   // RACE(timed)
  three = 1; // RACE(none)
  sem_post(&posted);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  struct timespec past = {1, 0};
  invisible_wait(&gate, 1);
  require(sem_trywait(&taken) == -1 && errno == EAGAIN, "it is zero");
  KEEP(one); // RACE(try)
  require(sem_timedwait(&taken, &past) == -1 && errno == ETIMEDOUT, "it is zero");
  KEEP(two);   // RACE(timed)
  KEEP(three); // RACE(none)
  return NULL;
}

int main(void) {
  sem_init(&taken, 0, 0);
  sem_init(&posted, 0, 0);
  run_two(writer, reader);
}
