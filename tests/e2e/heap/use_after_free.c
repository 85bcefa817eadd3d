// RUN: %e2e %s
// An access that is not ordered with the free of its block races with it: use after free, seen from the later
// access.
#include "e2e.h"

void* published;
static struct InvisibleGate gate;

static void* owner(void* unused) {
  free(invisible_load(&published)); // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* user(void* unused) {
  invisible_wait(&gate, 1);
  int* block = (int*)invisible_load(&published);
  KEEP(block[3]); // RACE
  return NULL;
}

int main(void) {
  int* block = (int*)malloc(40);
  for (int i = 0; i < 10; ++i) block[i] = i;
  invisible_store(&published, block);
  run_two(owner, user);
}
