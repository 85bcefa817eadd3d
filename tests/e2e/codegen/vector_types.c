// RUN: %e2e %s
// Accesses of vector types of 16, 32 and 64 bytes, and of a vector with an odd number of elements.
#include "e2e.h"

typedef int V4 __attribute__((vector_size(16)));
typedef int V8 __attribute__((vector_size(32)));
typedef int V16 __attribute__((vector_size(64)));
typedef float F3 __attribute__((ext_vector_type(3)));
union {
  V16 whole;
  int lanes[16];
} a;
union {
  V8 whole;
  int lanes[8];
} b;
union {
  V4 whole;
  int lanes[4];
} c;
union {
  F3 whole;
  int lanes[4];
} d;
static struct InvisibleGate gate;

static void* vectors(void* unused) {
  a.whole = a.whole + 1; // RACE(a)
  b.whole = b.whole + 1; // RACE(b)
  c.whole = c.whole + 1; // RACE(c)
  KEEP((int)d.whole.z);  // RACE(d)
  invisible_signal(&gate);
  return NULL;
}

static void* lanes(void* unused) {
  invisible_wait(&gate, 1);
  a.lanes[15] = 1; // RACE(a)
  b.lanes[7] = 1;  // RACE(b)
  c.lanes[3] = 1;  // RACE(c)
  d.lanes[2] = 1;  // RACE(d)
  return NULL;
}

int main(void) { run_two(vectors, lanes); }
