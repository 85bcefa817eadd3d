// RUN: %e2e %s
// Frames left by longjmp do not appear in the stacks of a later race.
// EXPECT-TEXT: after_the_jump
// REJECT-TEXT: jumping_function
#include "e2e.h"
#include <setjmp.h>

int shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static void jumping_function(jmp_buf target, int depth) {
  if (depth == 0) longjmp(target, 1);
  jumping_function(target, depth - 1);
  ESCAPE(&shared);
}

__attribute__((noinline)) static void after_the_jump(int value) {
  shared = value; // RACE
  ESCAPE(&shared);
}

static void* body(void* argument) {
  long me = (long)argument;
  for (volatile int i = 0; i < 100; i = i + 1) {
    jmp_buf target;
    if (setjmp(target) == 0) jumping_function(target, i % 20);
  }
  invisible_wait(&gate, (int)me);
  after_the_jump((int)me);
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
