// RUN: %e2e %s
// race: matches any frame, race_top: the accessing function only; everything else is still reported.
// OPTIONS: suppressions=%S/Inputs/kinds.supp
#include "e2e.h"

int by_frame, by_top, not_by_top, by_global;
static struct InvisibleGate gate;

__attribute__((noinline)) static void top_function(int value) {
  by_top = value; // NORACE
  ESCAPE(&by_top);
}
__attribute__((noinline)) static void helper(int* target, int value) {
  *target = value; // RACE
  ESCAPE(target);
}
__attribute__((noinline)) static void not_the_top_function(int value) {
  helper(&not_by_top, value);
  ESCAPE(&not_by_top);
}
__attribute__((noinline)) static void outer_function(int value) {
  top_function(value);
  by_frame = value; // NORACE
  ESCAPE(&by_frame);
}

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  outer_function((int)me);
  not_the_top_function((int)me);
  by_global = (int)me; // NORACE
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
