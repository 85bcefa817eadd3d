// RUN: %e2e %s
// Memory that held atomics is freed and comes back as plain data of another thread: no race with its previous
// life.
#include "e2e.h"
#include <malloc.h>

static struct InvisibleGate gate;

static void* first(void* unused) {
  invisible_wait(&gate, 1); // the allocator has set up both threads
  long* block = (long*)malloc(5000);
  for (int i = 0; i < 600; ++i) __atomic_store_n(&block[i], 1, __ATOMIC_SEQ_CST);
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
  for (int i = 0; i < 600; ++i) block[i] = 1; // NORACE
  ESCAPE(block);
  free(block);
  return NULL;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  run_two(first, second);
}
