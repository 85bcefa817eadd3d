// RUN: %e2e %s
// A block that one thread freed and another one got from malloc is a new object: no race with its previous
// life.
// EXPECT-OUT: reused
#include "e2e.h"
#include <malloc.h>

enum { rounds = 20 };
void* old_block;
static struct InvisibleGate turn;

static void* first(void* unused) {
  for (int round = 0; round < rounds; ++round) {
    invisible_wait(&turn, 2 * round);
    long* block = (long*)malloc(5000);
    for (int i = 0; i < 600; ++i) block[i] = i; // NORACE
    invisible_store(&old_block, block);
    free(block);
    invisible_signal(&turn);
  }
  return NULL;
}

static void* second(void* unused) {
  int reused = 0;
  for (int round = 0; round < rounds; ++round) {
    invisible_wait(&turn, 2 * round + 1);
    long* block = (long*)malloc(5000);
    reused |= block == invisible_load(&old_block);
    for (int i = 0; i < 600; ++i) block[i] = i; // NORACE
    ESCAPE(block);
    free(block);
    invisible_signal(&turn);
  }
  if (reused) printf("reused\n");
  return NULL;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  run_two(first, second);
}
