// RUN: %e2e %s
// pthread_exit from a nested call ends the thread, hands over its value and is ordered before the join.
#include "e2e.h"

int data;

__attribute__((noinline)) static void leave(int depth) {
  if (depth > 0) leave(depth - 1);
  data = 7; // NORACE
  pthread_exit(&data);
}

static void* body(void* unused) {
  leave(10);
  return NULL;
}

int main(void) {
  void* result;
  pthread_join(start(body, NULL), &result);
  require(*(int*)result == 7, "the value arrives"); // NORACE
}
