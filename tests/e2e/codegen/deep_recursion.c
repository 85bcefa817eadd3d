// RUN: %e2e %s
// Two hundred thousand frames deep on a large stack: no overflow of what the runtime keeps, and the race is
// found.
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static int down(int depth, int value) {
  if (depth == 0) {
    shared = value; // RACE
    return value;
  }
  int result = down(depth - 1, value) + 1;
  ESCAPE(&result);
  return result;
}

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  KEEP(down(200000, (int)me));
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 512ul << 20);
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i)
    require(pthread_create(&threads[i], &large, body, (void*)i) == 0, "pthread_create");
  for (int i = 0; i < 2; ++i) join(threads[i]);
}
