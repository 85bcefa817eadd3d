// RUN: %e2e %s
// Eight threads write their own byte of one word; a ninth reads all of them, ordered after seven. The eighth
// races.
#include "e2e.h"
#include <semaphore.h>

_Alignas(8) char bytes[8];
static sem_t done;
static struct InvisibleGate gate;

static void* own_byte(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  if (me == 8) {
    for (int i = 0; i < 7; ++i) sem_wait(&done);
    for (int i = 0; i < 8; ++i) KEEP((int)bytes[i]); // RACE
  } else if (me == 5) {
    bytes[5] = 1; // RACE
  } else {
    bytes[me] = 1; // NORACE
    sem_post(&done);
  }
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  sem_init(&done, 0, 0);
  run_many(9, own_byte);
}
