// RUN: %e2e %s
// Two threads make the same check of a whole array of wide elements: each of its accesses races with itself, and each is reported.
#include "e2e.h"

struct Wide {
  long a[8], b[8], c[8], d[8], e[8], f[8];
};
enum { count = 64 };
struct Wide elements[count];
static struct InvisibleGate gate;

__attribute__((noinline)) static void fill(long value) {
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 8; ++k) elements[i].a[k] = value; // RACE(a)
    for (int k = 0; k < 8; ++k) elements[i].b[k] = value; // RACE(b)
    for (int k = 0; k < 8; ++k) elements[i].c[k] = value; // RACE(c)
    for (int k = 0; k < 8; ++k) elements[i].d[k] = value; // RACE(d)
    for (int k = 0; k < 8; ++k) elements[i].e[k] = value; // RACE(e)
    for (int k = 0; k < 8; ++k) elements[i].f[k] = value; // RACE(f)
  }
}

static void* first(void* unused) {
  fill(1);
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  fill(2);
  return NULL;
}

int main(void) { run_two(first, second); }
