// RUN: %e2e %s
// A hundred thousand threads, one after the other (a million with the argument 1000000): memory does not grow
// with the number of threads, and the first one still races with the last.
// LEVELS: O2
// TIMEOUT: 120
// PINNED: no
#include "e2e.h"
#include "resident.h"

int shared;
int ordered;

static void* one_of_many(void* unused) {
  ++ordered; // NORACE
  return NULL;
}

static void* early(void* unused) {
  shared = 1; // RACE
  return NULL;
}

int main(int argc, char** argv) {
  int count = argc > 1 ? atoi(argv[1]) : 100000;
  pthread_t first = start(early, NULL);
  for (int i = 0; i < 1000; ++i) join(start(one_of_many, NULL));
  long before = resident_megabytes();
  for (int i = 1000; i < count; ++i) join(start(one_of_many, NULL));
  long after = resident_megabytes();
  if (after > before + 32) fprintf(stderr, "%ld MB grew to %ld MB\n", before, after);
  require(after <= before + 32, "the memory of ended threads is reused");
  require(ordered == count, "all ran"); // NORACE
  shared = 2;                           // RACE
  join(first);
}
