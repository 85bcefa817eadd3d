// RUN: %e2e %s
// halt_on_error ends the program at the first race, with the exit code for races.
// OPTIONS: halt_on_error=1
#include "e2e.h"

int one, two;
static struct InvisibleGate gate;

static void* first(void* unused) {
  one = 1; // RACE
  two = 1; // NORACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  one = 2; // RACE
  two = 2; // NORACE
  return NULL;
}

int main(void) {
  run_two(first, second);
  require(0, "nothing runs after the first race");
}
