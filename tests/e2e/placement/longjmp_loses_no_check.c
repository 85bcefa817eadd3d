// RUN: %e2e %s
// The function is left by longjmp while the check of what both branches wrote is still to be made.
#include "e2e.h"

#include <setjmp.h>

volatile int shared;
static jmp_buf back;
static struct InvisibleGate gate;

__attribute__((noinline)) static void put_and_leave(int which) {
  if (which)
    shared = 1; // RACE(left)
  else
    shared = 2;
  longjmp(back, 1);
}

static void* writer(void* unused) {
  if (setjmp(back) == 0) put_and_leave(1);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(shared); // RACE(left)
  return NULL;
}

int main(void) { run_two(writer, reader); }
