// RUN: %e2e %s
// The thread is cancelled where it waits, while the check of what both branches wrote is still to be made.
#include "e2e.h"

#include <unistd.h>

volatile int shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static void put_and_wait(int which) {
  if (which)
    shared = 1; // RACE(cancelled)
  else
    shared = 2;
  invisible_signal(&gate);
  for (;;) pause();
}

static void* writer(void* unused) {
  put_and_wait(1);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(shared); // RACE(cancelled)
  return NULL;
}

int main(void) {
  pthread_t cancelled = start(writer, NULL);
  pthread_t other = start(reader, NULL);
  invisible_wait(&gate, 1);
  pthread_cancel(cancelled);
  join(cancelled);
  join(other);
}
