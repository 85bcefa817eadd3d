// RUN: %e2e %s
// LEVELS: O0 O1
// What every iteration of a loop accesses is checked once before it. The race is that of the access in the loop: not of one behind the loop, which that check
// makes superfluous, and of the branch that was taken, not of the other that accesses the same.
#include "e2e.h"

volatile int limit = 3, chosen, last, mask = 0x3f; // so that the compiler leaves each access where it is
int after[64];
static struct InvisibleGate gate;

__attribute__((noinline)) static int count(volatile int* out) {
  int i = 0;
  while (i < limit) { // RACE(limit)
    out[i] = i;
    ++i;
  }
  return limit; // NORACE: the loop has read it
}

__attribute__((noinline)) static void choose(int n, int odd) {
  int i = 0;
  do {
    if (odd & (1 << i)) {
      chosen += i; // RACE(chosen)
      after[i] = i;
    } else {
      chosen -= i; // NORACE: not the way that was taken
      after[i + 32] = i;
    }
  } while (++i < n);
}

__attribute__((noinline)) static int finish(int n) {
  int i = 0;
  do {
    last = i; // RACE(last)
  } while (++i < n);
  last = 7; // NORACE: the loop has written it
  return i;
}

static void* first(void* unused) {
  volatile int out[64];
  KEEP(count(out));
  choose(5, mask);
  finish(5);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  limit = 9;  // RACE(limit)
  chosen = 9; // RACE(chosen)
  last = 9;   // RACE(last)
  return NULL;
}

int main(void) { run_two(first, second); }
