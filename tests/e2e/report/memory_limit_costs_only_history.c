// RUN: %e2e %s
// Above memory_limit_mb less history is kept: the report says so, and the race is found all the same.
// OPTIONS: memory_limit_mb=1
// EXPECT-TEXT: memory_limit_mb is reached
#include "e2e.h"

int shared;
static char touched[1 << 20];
static struct InvisibleGate gate;

__attribute__((noinline)) static void touch(int i) {
  touched[i] = (char)i; // NORACE
  ESCAPE(touched);
}

static void* first(void* unused) {
  shared = 1; // RACE
  ESCAPE(&shared);
  for (int i = 0; i < 1 << 20; i += 256) touch(i); // more than a short log holds
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  shared = 2; // RACE
  return NULL;
}

int main(void) { run_two(first, second); }
