// The stack of a race in a signal handler goes from the handler to what it interrupted, without our trampoline.
// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program
// RUN: %exits 66 env FOOTRACE_OPTIONS=verbosity=1 %t/program 2> %t/stderr
// RUN: %filecheck %s < %t/stderr
// RUN: not grep -E "footrace::|__footrace_" %t/stderr
// CHECK: #0 {{.*}}handler
// CHECK: #1 {{.*}}interrupted
// CHECK: #2 {{.*}}second
#include "e2e.h"
#include <signal.h>

int shared;
static struct InvisibleGate gate;

static void handler(int unused) { shared = 1; }

__attribute__((noinline)) static void interrupted(void) {
  __asm__ volatile("int3");
  KEEP(shared);
}

static void* first(void* unused) {
  shared = 2;
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  interrupted();
  return NULL;
}

int main(void) {
  signal(SIGTRAP, handler);
  run_two(first, second);
}
