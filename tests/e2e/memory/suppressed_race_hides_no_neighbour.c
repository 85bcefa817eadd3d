// RUN: %e2e %s
// A suppressed race is not reported, and hides nothing: the neighbouring byte's race is.
// OPTIONS: suppressions=%S/Inputs/known.supp
#include "e2e.h"

_Alignas(8) char bytes[8];
static struct InvisibleGate gate;

__attribute__((noinline)) static void known_race_write(char value) { bytes[3] = value; } // NORACE

static void* first(void* unused) {
  known_race_write(1);
  bytes[4] = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  known_race_write(2);
  bytes[4] = 2; // RACE
  return NULL;
}

int main(void) { run_two(first, second); }
