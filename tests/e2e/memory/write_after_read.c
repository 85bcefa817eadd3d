// RUN: %e2e %s
// A write that is not ordered after an earlier read races with it.
// EXPECT-TEXT: [Ww]rite of size 4
// EXPECT-TEXT: [Pp]revious read of size 4
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* reader(void* unused) {
  KEEP(shared); // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  shared = 1; // RACE
  return NULL;
}

int main(void) { run_two(reader, writer); }
