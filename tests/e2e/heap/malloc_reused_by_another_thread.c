// RUN: %e2e %s
// A block that one thread freed and another one got from malloc is a new object: no race with its previous
// life.
// EXPECT-OUT: reused
#include "e2e.h"
#include <malloc.h>

void* old_block;
static struct InvisibleGate gate;

static void* first(void* unused) {
  invisible_wait(&gate, 1); // the allocator has set up both threads
  long* block = (long*)malloc(5000);
  for (int i = 0; i < 600; ++i) block[i] = i; // NORACE
  invisible_store(&old_block, block);
  free(block);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  void* volatile warm_up = malloc(16);
  free(warm_up);
  invisible_signal(&gate);
  invisible_wait(&gate, 2);
  long* block = (long*)malloc(5000);
  if (block == invisible_load(&old_block)) printf("reused\n");
  for (int i = 0; i < 600; ++i) block[i] = i; // NORACE
  free(block);
  return NULL;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  run_two(first, second);
}
