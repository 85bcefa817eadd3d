// RUN: %e2e %s
// RUN: %e2e-v3 %s
// A loop over one field of an array of records does not read the other field.
// REQUIRES: avx2
#include "e2e.h"

enum { size = 256 };
struct Pair {
  int key, value;
} pairs[size];
static struct InvisibleGate gate;

__attribute__((noinline)) static int sum(struct Pair* from, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) total += from[i].key; // RACE
  return total;
}

static void* reader(void* unused) {
  int total = sum(pairs, size);
  KEEP(total);
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  pairs[100].value = 1; // NORACE
  pairs[101].key = 1;   // RACE
  return NULL;
}

int main(void) { run_two(reader, writer); }
