// RUN: %e2e %s
// A block from calloc is checked like any other: an unordered read of what another thread wrote races.
#include "e2e.h"

int* block;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  block[9] = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(block[8]); // NORACE
  KEEP(block[9]); // RACE
  return NULL;
}

int main(void) {
  block = (int*)calloc(10, sizeof(int));
  run_two(writer, reader);
  free(block);
}
