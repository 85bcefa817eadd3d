// RUN: %e2e %s
// A loop that the compiler vectorises touches every element: one element that another thread writes races.
#include "e2e.h"

enum { size = 1024 };
int a[size], b[size];
static struct InvisibleGate gate;

static void* loop(void* unused) {
  for (int i = 0; i < size; ++i) a[i] += b[i]; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* one(void* unused) {
  invisible_wait(&gate, 1);
  a[777] = 1; // RACE
  return NULL;
}

int main(void) { run_two(loop, one); }
