// RUN: %e2e %s
// A large struct returned by value is written through a hidden pointer: the caller's global races there.
#include "e2e.h"

struct Big {
  long words[16];
};
static struct Big shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static struct Big make(long value) {
  struct Big big = {{value}};
  ESCAPE(&big);
  return big;
}

static void* first(void* unused) {
  shared = make(1); // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(shared.words[15]); // RACE
  return NULL;
}

int main(void) { run_two(first, second); }
