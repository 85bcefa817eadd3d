// RUN: %e2e %s
// The program ends inside a loop, before anything that comes after it could be checked.
#include "e2e.h"

enum { count = 100 };
int numbers[count];
static struct InvisibleGate gate;

__attribute__((noinline)) static void stop_at(int i) {
  if (i == 50) exit(0);
}

static void* writer(void* unused) {
  numbers[50] = 1; // RACE(last)
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  pthread_t thread = start(writer, NULL);
  invisible_wait(&gate, 1);
  for (int i = 0; i < count; ++i) {
    numbers[i] = i; // RACE(last)
    stop_at(i);
  }
  join(thread);
}
