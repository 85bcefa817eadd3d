// RUN: %e2e %s
// A library that is not instrumented calls back into checked code: its stacks are right, its own data is not
// judged. EXPECT-TEXT: compare
#include "e2e.h"

int comparisons;
static struct InvisibleGate gate;

static int compare(const void* a, const void* b) {
  comparisons = 1; // RACE
  return *(const int*)a - *(const int*)b;
}

static void* body(void* argument) {
  long me = (long)argument;
  int values[20];
  for (int i = 0; i < 20; ++i) values[i] = (i * 7) % 20;
  invisible_wait(&gate, (int)me);
  qsort(values, 20, sizeof(int), compare);
  require(values[19] == 19, "sorted");
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
