// RUN: %e2e %s
// Bit-fields of one storage unit are one memory location; a zero-width field starts another.
#include "e2e.h"

struct {
  unsigned char low : 4;
  unsigned char high : 4;
  unsigned char : 0;
  unsigned char other : 4;
} bits;
static struct InvisibleGate gate;

static void* first(void* unused) {
  bits.low = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  bits.other = 2; // NORACE
  bits.high = 3;  // RACE
  return NULL;
}

int main(void) { run_two(first, second); }
