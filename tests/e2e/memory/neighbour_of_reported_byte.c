// RUN: %e2e %s
// A race that was reported hides no race on the other bytes of its word, before or after it.
#include "e2e.h"

_Alignas(8) char bytes[8];
static struct InvisibleGate gate;

static void* first(void* unused) {
  bytes[3] = 1; // RACE(three)
  bytes[4] = 1; // RACE(four)
  bytes[0] = 1; // RACE(zero)
  bytes[7] = 1; // NORACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  bytes[3] = 2; // RACE(three)
  bytes[4] = 2; // RACE(four)
  bytes[0] = 2; // RACE(zero)
  bytes[6] = 2; // NORACE
  return NULL;
}

int main(void) { run_two(first, second); }
