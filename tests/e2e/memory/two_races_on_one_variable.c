// RUN: %e2e %s
// One write races with two unordered reads on different lines: two races, each reported with its own pair of
// lines.
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* reader_one(void* unused) {
  KEEP(shared); // RACE(one)
  invisible_signal(&gate);
  return NULL;
}

static void* reader_two(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(shared); // RACE(two)
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 2);
  shared = 1; // RACE(one,two)
  return NULL;
}

int main(void) { run_three(reader_one, reader_two, writer); }
