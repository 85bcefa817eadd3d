// RUN: %e2e %s
// A loop with indirect stores, vectorised into scatters: written elements race, their neighbours do not.
// REQUIRES: avx512f
// FLAGS: -mavx512f -mprefer-vector-width=512
#include "e2e.h"

enum { size = 64 };
int index_of[size], table[4 * size];
static struct InvisibleGate gate;

static void* scatters(void* unused) {
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < size; ++i) table[index_of[i]] = i; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(table[4 * 20 + 1]); // NORACE
  KEEP(table[4 * 20 - 1]); // NORACE
  KEEP(table[4 * 20]);     // RACE
  return NULL;
}

int main(void) {
  for (int i = 0; i < size; ++i) index_of[i] = 4 * i;
  run_two(scatters, reader);
}
