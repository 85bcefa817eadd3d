// RUN: %e2e %s
// The thread ends in the middle of a function, by pthread_exit, while the check of what both branches wrote is still to be made.
#include "e2e.h"

volatile int shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static void put_and_end(int which) {
  if (which)
    shared = 1; // RACE(ended)
  else
    shared = 2;
  invisible_signal(&gate);
  pthread_exit(NULL);
}

static void* writer(void* unused) {
  put_and_end(1);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(shared); // RACE(ended)
  return NULL;
}

int main(void) { run_two(writer, reader); }
