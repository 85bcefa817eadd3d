// RUN: %e2e %s
// RUN: %e2e-v3 %s
// Elements that a loop reads under a condition: masked vector reads stay masked, also where the whole array is known to be there and
// the loop is unrolled.
// REQUIRES: avx2
#include "e2e.h"

enum { size = 32 };
int used[size], data[size];
static struct InvisibleGate gate;

__attribute__((noinline)) static long sum(void) {
  long total = 0;
  for (int i = 0; i < size; ++i)
    if (used[i]) total += data[i]; // RACE
  return total;
}

static void* reader(void* unused) {
  long total = sum();
  KEEP(total);
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  data[9] = 1; // NORACE
  data[8] = 1; // RACE
  return NULL;
}

int main(void) {
  for (int i = 0; i < size; ++i) used[i] = i % 3 == 2;
  run_two(reader, writer);
}
