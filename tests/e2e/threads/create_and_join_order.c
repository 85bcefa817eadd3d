// RUN: %e2e %s
// What precedes pthread_create is ordered before the thread; the thread is ordered before what follows its
// join.
#include "e2e.h"

int before, inside;

static void* body(void* unused) {
  KEEP(before); // NORACE
  inside = 1;   // NORACE
  return NULL;
}

int main(void) {
  before = 1; // NORACE
  pthread_t thread = start(body, NULL);
  join(thread);
  KEEP(inside); // NORACE
  before = 2;   // NORACE
}
