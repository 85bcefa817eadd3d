// RUN: %e2e %s
// A function reads what its argument points to under a condition: its callers do not read it for the function.
#include "e2e.h"

int often, never, on, off;
static struct InvisibleGate gate;

__attribute__((noinline)) static int value_if(int* place, int condition) {
  if (condition) return *place + 1; // RACE
  return 0;
}

static void* reader(void* unused) {
  int value = value_if(&often, on) + value_if(&never, off);
  KEEP(value);
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  often = 1; // RACE
  never = 1; // NORACE
  return NULL;
}

int main(void) {
  on = 1;
  run_two(reader, writer);
}
