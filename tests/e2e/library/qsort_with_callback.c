// RUN: %e2e %s
// A library that is not instrumented calls back into checked code: its stacks are right, its own data is not
// judged.
// EXPECT-TEXT: in compare|#0 compare
// EXPECT-TEXT: calls_the_library
#include "e2e.h"

int comparisons;
static struct InvisibleGate gate;

static int compare(const void* a, const void* b) {
  comparisons = 1; // RACE
  return *(const int*)a - *(const int*)b;
}

__attribute__((noinline)) static void calls_the_library(void) {
  int values[20];
  for (int i = 0; i < 20; ++i) values[i] = (i * 7) % 20;
  qsort(values, 20, sizeof(int), compare);
  require(values[19] == 19, "sorted");
}

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  calls_the_library();
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
