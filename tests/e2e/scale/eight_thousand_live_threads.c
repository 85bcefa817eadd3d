// RUN: %e2e %s
// Eight thousand threads live at once; two of them race, the first and the last, and nobody else.
// LEVELS: O2
// TIMEOUT: 120
// PINNED: no
#include "e2e.h"

enum { count = 8000 };
int shared, own[count];
static pthread_t threads[count];
static struct InvisibleGate running, end;

static void* body(void* argument) {
  long me = (long)argument;
  own[me] = 1;             // NORACE
  if (me == 0) shared = 1; // RACE
  invisible_signal(&running);
  invisible_wait(&end, 1);
  if (me == count - 1) shared = 2; // RACE
  return NULL;
}

int main(void) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  for (long i = 0; i < count; ++i)
    require(pthread_create(&threads[i], &small, body, (void*)i) == 0,
            "eight thousand threads can be created");
  invisible_wait(&running, count);
  invisible_signal(&end);
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    join(threads[i]);
    sum += own[i]; // NORACE
  }
  require(sum == count, "all ran");
}
