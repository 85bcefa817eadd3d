// RUN: %e2e %s
// Fifty threads read; the writer is ordered after all of them except the twentieth. A detector that keeps
// only some readers per location forgets that one.
#include "e2e.h"
#include <semaphore.h>

int shared;
static sem_t done;
static struct InvisibleGate gate;

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  if (me == 50) {
    for (int i = 0; i < 49; ++i) sem_wait(&done);
    shared = 1; // RACE
  } else if (me == 20) {
    KEEP(shared); // RACE
  } else {
    KEEP(shared); // NORACE
    sem_post(&done);
  }
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  sem_init(&done, 0, 0);
  run_many(51, body);
}
