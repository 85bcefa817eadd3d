// RUN: %e2e %s
// Neighbouring bytes are different memory locations: unordered writes of both do not race.
#include "e2e.h"

_Alignas(8) char bytes[8];
static struct InvisibleGate gate;

static void* first(void* unused) {
  for (int i = 0; i < 8; i += 2) bytes[i] += 1; // NORACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  for (int i = 1; i < 8; i += 2) bytes[i] += 1; // NORACE
  return NULL;
}

int main(void) { run_two(first, second); }
