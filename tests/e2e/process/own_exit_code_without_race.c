// RUN: %e2e %s
// Without a race the program's own exit code is the exit code, by exit() from another thread.
// EXIT: 5
#include "e2e.h"

static void* body(void* unused) { exit(5); }

int main(void) {
  start(body, NULL);
  for (;;) sched_yield();
}
