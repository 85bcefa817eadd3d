// RUN: %e2e %s
// Large blocks that are written and freed again and again do not let the process grow: their shadow is given
// back.
// LEVELS: O2
#include "e2e.h"
#include "resident.h"

static void* body(void* argument) {
  for (int i = 0; i < 10; ++i) {
    size_t size = (size_t)(8 + i) << 20; // a different size each time, so that addresses move
    long* block = (long*)malloc(size);
    for (size_t k = 0; k < size / 8; k += 256) block[k] = 1; // NORACE
    ESCAPE(block);
    free(block);
  }
  return NULL;
}

int main(void) {
  run_many(2, body);
  long after = resident_megabytes();
  if (after > 150) fprintf(stderr, "%ld MB are resident\n", after);
  require(after <= 150, "freed blocks are reclaimed");
}
