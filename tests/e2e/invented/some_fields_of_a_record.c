// RUN: %e2e %s
// Reads of most elements of a group do not become a read of all of them.
#include "e2e.h"

int group[8], sums[8];
static struct InvisibleGate gate;

__attribute__((noinline)) static void copy(void) {
  sums[0] = group[0] + 1;
  sums[1] = group[1] + 1;
  sums[2] = group[2] + 1;
  sums[3] = group[4] + 1;
  sums[4] = group[5] + 1;
  sums[5] = group[7] + 1; // RACE
  sums[6] = group[0] + 1;
  sums[7] = group[2] + 1;
}

static void* reader(void* unused) {
  copy();
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  group[3] = 1; // NORACE
  group[6] = 1; // NORACE
  group[7] = 1; // RACE
  return NULL;
}

int main(void) { run_two(reader, writer); }
