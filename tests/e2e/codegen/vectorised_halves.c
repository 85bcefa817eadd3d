// RUN: %e2e %s
// Two vectorised loops over the parts of one byte array, divided at an odd index, do not overlap.
#include "e2e.h"

enum { size = 1000, border = 501 };
unsigned char bytes[size], source[size];
static struct InvisibleGate gate;

static void* low(void* unused) {
  for (int i = 0; i < border; ++i) bytes[i] = (unsigned char)(source[i] + 1); // NORACE
  invisible_signal(&gate);
  return NULL;
}

static void* high(void* unused) {
  invisible_wait(&gate, 1);
  for (int i = border; i < size; ++i) bytes[i] = (unsigned char)(source[i] + 2); // NORACE
  return NULL;
}

int main(void) { run_two(low, high); }
