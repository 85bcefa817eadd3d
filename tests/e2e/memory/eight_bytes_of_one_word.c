// RUN: %e2e %s
// Eight threads, each with its own byte of one word, all unordered: no race, however often they come back.
#include "e2e.h"

_Alignas(8) char bytes[8];
static struct InvisibleGate round;

static void* body(void* argument) {
  long me = (long)argument;
  for (int i = 0; i < 20; ++i) {
    bytes[me] += 1; // NORACE
    invisible_signal(&round);
    invisible_wait(&round, 8 * (i + 1));
    KEEP((int)bytes[me]); // NORACE
  }
  return NULL;
}

int main(void) { run_many(8, body); }
