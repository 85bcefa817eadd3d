// RUN: %e2e %s
// Exceptions that pass through instrumented frames leave no trace of them in the stacks of a later race.
// EXPECT-TEXT: after_the_throw
// REJECT-TEXT: throwing_function
#include "e2e.h"

int shared;
static InvisibleGate gate;

__attribute__((noinline)) static void throwing_function(int depth) {
  if (depth == 0) throw depth;
  throwing_function(depth - 1);
  ESCAPE(&shared);
}

__attribute__((noinline)) static void after_the_throw(int value) {
  shared = value; // RACE
  ESCAPE(&shared);
}

static void* body(void* argument) {
  long me = (long)argument;
  for (int i = 0; i < 100; ++i) {
    try {
      throwing_function(i % 20);
    } catch (int) {
    }
  }
  invisible_wait(&gate, (int)me);
  after_the_throw((int)me);
  invisible_signal(&gate);
  return nullptr;
}

int main() { run_many(2, body); }
