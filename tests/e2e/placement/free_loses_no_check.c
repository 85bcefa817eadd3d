// RUN: %e2e %s
// What both branches wrote is freed before the function ends: the race is with the access, not with the free or the memory's next owner.
#include "e2e.h"

static int* shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static void put_and_free(volatile int* p, int which) {
  if (which)
    *p = 1; // RACE(write)
  else
    *p = 2;
  free((void*)p);
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  put_and_free(shared, 1);
  return NULL;
}

static void* reader(void* unused) {
  KEEP(*shared); // RACE(write)
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  shared = malloc(sizeof *shared);
  run_two(writer, reader);
}
