// RUN: %e2e %s
// A signal handler acts as the thread that it interrupts: it races with other threads, not with its own.
// EXPECT-TEXT: handler
#include "e2e.h"
#include <signal.h>

int shared, own;
static struct InvisibleGate gate;

static void handler(int number) {
  own = 2;    // NORACE
  shared = 1; // RACE
}

static void* interrupted(void* unused) {
  own = 1; // NORACE
  raise(SIGUSR1);
  KEEP(own); // NORACE
  invisible_signal(&gate);
  return NULL;
}

static void* other(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(shared); // RACE
  return NULL;
}

int main(void) {
  signal(SIGUSR1, handler);
  run_two(interrupted, other);
}
