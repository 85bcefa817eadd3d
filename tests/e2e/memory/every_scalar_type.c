// RUN: %e2e %s
// A race is found on objects of every scalar size, 1 to 16 bytes.
#include "e2e.h"

char c;
short s;
int i;
long l;
float f;
double d;
long double ld;
__int128 q;
void* p;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  c = 1;     // RACE(char)
  s = 1;     // RACE(short)
  i = 1;     // RACE(int)
  l = 1;     // RACE(long)
  f = 1;     // RACE(float)
  d = 1;     // RACE(double)
  ld = 1;    // RACE(longdouble)
  q = 1;     // RACE(int128)
  p = &gate; // RACE(pointer)
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP((int)c);          // RACE(char)
  KEEP((int)s);          // RACE(short)
  KEEP(i);               // RACE(int)
  KEEP(l);               // RACE(long)
  KEEP((int)f);          // RACE(float)
  KEEP((long)d);         // RACE(double)
  KEEP((long)ld);        // RACE(longdouble)
  KEEP((long)(q >> 64)); // RACE(int128)
  KEEP(p);               // RACE(pointer)
  return NULL;
}

int main(void) { run_two(writer, reader); }
