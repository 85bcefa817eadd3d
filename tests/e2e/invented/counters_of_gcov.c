// RUN: %e2e %s
// Counters that the compiler adds are not the program's.
// FLAGS: --coverage
// ENV: LLVM_PROFILE_FILE=/dev/null
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static int work(int n) {
  int odd = 0;
  for (int i = 0; i < n; ++i)
    if (i % 2) odd += i;
  return odd;
}

static void* first(void* unused) {
  int value = work(10);
  KEEP(value);
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  int value = work(20);
  KEEP(value);
  shared = 2; // RACE
  return NULL;
}

int main(void) { run_two(first, second); }
