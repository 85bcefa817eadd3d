// RUN: %e2e %s
// A plain byte as a flag, next to another one: the loop reads it again and again without ever synchronising, and both threads must still meet.
#include "e2e.h"

_Alignas(8) volatile char flags[8];
static struct InvisibleGate gate;

static void* waits(void* unused) {
  flags[0] = 1; // NORACE
  invisible_signal(&gate);
  while (!flags[1]) // RACE
    ;
  return NULL;
}

static void* sets(void* unused) {
  invisible_wait(&gate, 1);
  flags[1] = 1; // RACE
  return NULL;
}

int main(void) { run_two(waits, sets); }
