// RUN: %e2e %s
// A conditional store, vectorised into masked stores, writes only the elements whose condition holds.
// REQUIRES: avx2
// FLAGS: -mavx2
#include "e2e.h"

enum { size = 64 };
int condition[size], values[size];
static struct InvisibleGate gate;

static void* masked(void* unused) {
  for (int i = 0; i < size; ++i)
    if (condition[i]) values[i] = i; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  values[20] = 1; // NORACE
  values[21] = 1; // RACE
  return NULL;
}

int main(void) {
  for (int i = 0; i < size; ++i) condition[i] = i % 2;
  run_two(masked, writer);
}
