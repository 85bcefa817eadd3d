// RUN: mkdir -p %t && %cc -O1 %s -o %t/program
// RUN: %exits 66 env FOOTRACE_OPTIONS=history_size=0 %t/program 2>&1 | %filecheck %s
// Without history the previous access is reported by its thread and its bytes, and the report says what is missing.
// CHECK: Write of size 4
// CHECK: #0 second {{.*}}history_aged_out.c
// CHECK: Previous write of size 4 at {{.*}} by thread T1:
// CHECK-NEXT: (stack not known)
// CHECK-NEXT: (callers and locks no longer known: history aged out; raise history_size)
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* first(void* unused) {
  shared = 1;
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  shared = 2;
  return NULL;
}

int main(void) { run_two(first, second); }
