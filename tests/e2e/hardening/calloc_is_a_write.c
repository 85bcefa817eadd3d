// RUN: %e2e %s
// calloc writes its zeroes: a read by a thread that got the address without order races with it.
#include "e2e.h"

void* slot;
static struct InvisibleGate gate;

static void* allocator(void* unused) {
  invisible_store(&slot, calloc(10, sizeof(int))); // RACE
  invisible_signal(&gate);
  return NULL;
}
static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  int* block = invisible_load(&slot);
  KEEP(block[4]); // RACE
  return NULL;
}

int main(void) { run_two(allocator, reader); }
