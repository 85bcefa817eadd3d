// RUN: %cc -O1 %s -o %t && %exits 66 %t 2>&1 | %filecheck %s
// One variable that races in one function is reported for each of its callers, as far as a report brings one that was not seen: either may lack a lock.
// Depths of a recursion are one caller.
// CHECK-COUNT-3: WARNING: footrace: data race
// CHECK-NOT: WARNING: footrace: data race
// CHECK: footrace: 3 data races found: 3 on variable{{$}}
// RUN: %exits 66 %t 2>&1 | %filecheck --check-prefix=CALLERS %s
// CALLERS-DAG: #1 from_here {{.*}}one_report_per_caller.c
// CALLERS-DAG: #1 from_there {{.*}}one_report_per_caller.c
// CALLERS-DAG: #1 down {{.*}}one_report_per_caller.c
// RUN: %cc -O1 -DMANY %s -o %t.many && %exits 66 %t.many 2>&1 | %filecheck --check-prefix=MANY %s
// MANY: footrace: {{[4-8]}} data races found: {{.*}}, and {{[0-9]+}} more like these, on other variables or from other callers
#include "e2e.h"

int variable;
static struct InvisibleGate gate;
__attribute__((noinline)) static void increment(int* counter) { *counter = 1; }

#define CALLER(name)                                                                                         \
  __attribute__((noinline)) static void name(void) {                                                         \
    increment(&variable);                                                                                    \
    ESCAPE(&variable);                                                                                       \
  }
CALLER(from_here)
CALLER(from_there)
__attribute__((noinline)) static void down(int depth) {
  if (depth != 0)
    down(depth - 1);
  else
    increment(&variable);
  ESCAPE(&depth);
}
#ifdef MANY
CALLER(a)
CALLER(b)
CALLER(c)
CALLER(d)
CALLER(e)
CALLER(f)
CALLER(g)
CALLER(h)
CALLER(i)
CALLER(j)
static void (*const turns[])(void) = {a, b, c, d, e, f, g, h, i, j, from_here, from_there};
#else
static void one_down(void) { down(1); }
static void all_down(void) { down(7); }
static void (*const turns[])(void) = {from_here, one_down, from_there, all_down, from_here, all_down};
#endif

// The threads take turns, and nothing orders them.
static void* take_turns(void* number) {
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  for (int turn = (int)(long)number; turn < (int)(sizeof turns / sizeof *turns); turn += 2) {
    invisible_wait(&gate, turn);
    pthread_mutex_lock(&own); // a new epoch
    pthread_mutex_unlock(&own);
    turns[turn]();
    invisible_signal(&gate);
  }
  return NULL;
}

int main(void) { run_many(2, take_turns); }
