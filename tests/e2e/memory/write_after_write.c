// RUN: %e2e %s
// Two unordered writes of one int race.
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* first(void* unused) {
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  shared = 2; // RACE
  return NULL;
}

int main(void) { run_two(first, second); }
