// RUN: %e2e %s
// One check of a loop may stand for several accesses of each element: a report names the line, kind and size of the one that raced.
// EXPECT-TEXT: [Ww]rite of size 4
// EXPECT-TEXT: [Rr]ead of size 8
// REJECT-TEXT: ([Rr]ead|[Ww]rite) of size [0-9][0-9]
#include "e2e.h"

struct Element {
  long key;
  int value, other;
};

enum { count = 200 };
struct Element elements[count];
static struct InvisibleGate gate;

static void* walker(void* unused) {
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += elements[i].key; // RACE(key)
    elements[i].value = i;  // RACE(value)
    elements[i].other = -i; // NORACE: nobody else touches it
  }
  KEEP(sum);
  invisible_signal(&gate);
  return NULL;
}

static void* visitor(void* unused) {
  invisible_wait(&gate, 1);
  elements[77].key = 1;     // RACE(key)
  KEEP(elements[78].value); // RACE(value)
  return NULL;
}

int main(void) { run_two(walker, visitor); }
