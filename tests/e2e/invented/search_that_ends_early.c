// RUN: %e2e %s
// RUN: %e2e-v3 %s
// A search reads up to what it finds and nothing behind it.
// REQUIRES: avx2
#include "e2e.h"

enum { size = 256 };
int table[size];
static struct InvisibleGate gate;

__attribute__((noinline)) static int find(int value) {
  for (int i = 0; i < size; ++i)
    if (table[i] == value) return i; // RACE
  return -1;
}

static void* reader(void* unused) {
  int place = find(7);
  KEEP(place);
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  table[4] = 1; // RACE
  table[6] = 1; // NORACE
  return NULL;
}

int main(void) {
  table[5] = 7;
  run_two(reader, writer);
}
