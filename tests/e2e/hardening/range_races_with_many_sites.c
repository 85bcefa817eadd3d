// One memset over a hundred words that race, the last of which was written elsewhere: every pair is reported.
// RUN: %e2e %s
#include "e2e.h"

#include <string.h>

long words[100];
static struct InvisibleGate gate;
static volatile int count = 100;

static void* writer(void* unused) {
  for (int i = 0; i < count - 1; i++) words[i] = 1; // RACE
  words[99] = 2;                                    // RACE
  invisible_signal(&gate);
  return unused;
}

static void* eraser(void* unused) {
  invisible_wait(&gate, 1);
  memset(words, 0, sizeof(long) * count); // RACE
  return unused;
}

int main(void) {
  run_two(writer, eraser);
  return 0;
}
