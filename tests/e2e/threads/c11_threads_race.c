// RUN: %e2e %s
// Threads created with thrd_create race like others, and a failed mtx_trylock is no order.
#include "e2e.h"
#include <threads.h>

static mtx_t mutex;
int shared;
static struct InvisibleGate gate, end;

static int first(void* unused) {
  mtx_lock(&mutex);
  shared = 1; // RACE
  invisible_signal(&gate);
  invisible_wait(&end, 1);
  mtx_unlock(&mutex);
  return 0;
}

static int second(void* unused) {
  invisible_wait(&gate, 1);
  require(mtx_trylock(&mutex) == thrd_busy, "the mutex is held");
  KEEP(shared); // RACE
  invisible_signal(&end);
  return 0;
}

int main(void) {
  mtx_init(&mutex, mtx_plain);
  thrd_t a, b;
  thrd_create(&a, first, NULL);
  thrd_create(&b, second, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
}
