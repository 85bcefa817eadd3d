// RUN: %e2e %s
// Thread-locals of an ended, unordered thread lie where the next thread's are: no false alarm.
#include "e2e.h"

static _Thread_local int mine[64];
int* published;
static struct InvisibleGate ended;

static void* body(void* unused) {
  __atomic_store_n(&published, &mine[0], __ATOMIC_RELAXED);
  for (int i = 0; i < 64; ++i) mine[i] += i; // NORACE
  invisible_signal(&ended);
  return NULL;
}

int main(void) {
  for (int i = 0; i < 100; ++i) {
    pthread_detach(start(body, NULL));
    invisible_wait(&ended, i + 1);
  }
}
