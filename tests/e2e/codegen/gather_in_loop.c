// RUN: %e2e %s
// A loop with indirect loads, vectorised into gathers: the elements that are read race, their neighbours do
// not.
// REQUIRES: avx2
// FLAGS: -mavx2 -ffast-math -mllvm -force-vector-width=8
#include "e2e.h"

enum { size = 64 };
int index_of[size], table[4 * size];
int total;
static struct InvisibleGate gate;

static void* gathers(void* unused) {
  int sum = 0;
  for (int i = 0; i < size; ++i) sum += table[index_of[i]]; // RACE
  total = sum;
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  table[4 * 20 + 1] = 1; // NORACE
  table[4 * 20 - 1] = 1; // NORACE
  table[4 * 20] = 1;     // RACE
  return NULL;
}

int main(void) {
  for (int i = 0; i < size; ++i) index_of[i] = 4 * i;
  run_two(gathers, writer);
  KEEP(total);
}
