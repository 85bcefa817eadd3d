// RUN: %e2e %s
// Memory that held atomics is freed and comes back as plain data of another thread: no race with its previous
// life.
#include "e2e.h"
#include <malloc.h>

static struct InvisibleGate turn;

static void* first(void* unused) {
  for (int round = 0; round < 20; ++round) {
    invisible_wait(&turn, 2 * round);
    long* block = (long*)malloc(5000);
    for (int i = 0; i < 600; ++i) __atomic_store_n(&block[i], 1, __ATOMIC_SEQ_CST);
    free(block);
    invisible_signal(&turn);
  }
  return NULL;
}

static void* second(void* unused) {
  for (int round = 0; round < 20; ++round) {
    invisible_wait(&turn, 2 * round + 1);
    long* block = (long*)malloc(5000);
    for (int i = 0; i < 600; ++i) block[i] = 1; // NORACE
    ESCAPE(block);
    free(block);
    invisible_signal(&turn);
  }
  return NULL;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  run_two(first, second);
}
