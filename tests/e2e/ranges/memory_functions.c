// RUN: %e2e %s
// memcpy, memmove and memset read and write their whole range, with sizes known and unknown to the compiler.
#include "e2e.h"
#include <string.h>

char a[64], b[64], c[64], d[64], e[4000], f[64];
char source[4000];
static volatile size_t some = 40, many = 3000;
static struct InvisibleGate gate;

static void* first(void* unused) {
  memcpy(a, source, some);      // RACE(a)
  memmove(b, source, some);     // RACE(b)
  memset(c, 1, some);           // RACE(c)
  memset(d, 1, 40);             // RACE(d)
  memcpy(e, source, many);      // RACE(e)
  memcpy(source + 64, f, some); // RACE(f)
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  KEEP((int)a[39]);   // RACE(a)
  KEEP((int)b[39]);   // RACE(b)
  KEEP((int)c[39]);   // RACE(c)
  KEEP((int)d[39]);   // RACE(d)
  KEEP((int)e[2999]); // RACE(e)
  f[39] = 1;          // RACE(f)
  return NULL;
}

int main(void) { run_two(first, second); }
