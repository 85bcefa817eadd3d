// RUN: %e2e %s
// flockfile and funlockfile are a lock like any other; one that was not got orders nothing.
#include "e2e.h"

int guarded, unguarded;
static struct InvisibleGate locked, tried;

static void* first(void* unused) {
  flockfile(stdout);
  guarded = 1;   // NORACE
  unguarded = 1; // RACE
  invisible_signal(&locked);
  invisible_wait(&tried, 1);
  funlockfile(stdout);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&locked, 1);
  require(ftrylockfile(stdout) != 0, "the stream is locked");
  unguarded = 2; // RACE
  invisible_signal(&tried);
  flockfile(stdout);
  guarded = 2; // NORACE
  funlockfile(stdout);
  return NULL;
}

int main(void) { run_two(first, second); }
