// RUN: %e2e %s
// A read that is not ordered after the write it follows races with it.
// EXPECT-TEXT: [Rr]ead of size 4
// EXPECT-TEXT: [Pp]revious write of size 4
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(shared); // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
