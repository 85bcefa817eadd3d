// RUN: %e2e %s
// A race on heap memory names the block: its size, the offset, and the stack that allocated it.
// EXPECT-TEXT: 40
// EXPECT-TEXT: [Hh]eap
// EXPECT-TEXT: make_block
// EXPECT-TEXT: allocated
#include "e2e.h"

int* block;
static struct InvisibleGate gate;

__attribute__((noinline)) static int* make_block(void) { return (int*)malloc(40); }

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  block[3] = (int)me; // RACE
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  block = make_block();
  run_many(2, body);
  free(block);
}
