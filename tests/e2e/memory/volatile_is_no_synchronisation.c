// RUN: %e2e %s
// volatile neither orders threads nor makes an access atomic: the flag races, and so does what it guards.
#include "e2e.h"

volatile int flag;
int data;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  data = 1; // RACE(data)
  flag = 1; // RACE(flag)
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(flag); // RACE(flag)
  KEEP(data); // RACE(data)
  return NULL;
}

int main(void) { run_two(writer, reader); }
