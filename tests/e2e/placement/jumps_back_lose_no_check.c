// RUN: %e2e %s
// Loops that are made of setjmp and longjmp, of computed gotos or of recursion end without passing the place where a loop would.
#include "e2e.h"

#include <setjmp.h>

enum { count = 40 };
int by_longjmp[count], by_goto[count], by_recursion[count], before_setjmp, after_setjmp;
static jmp_buf back;
static struct InvisibleGate gate;

__attribute__((noinline)) static void jump_back(int i) {
  if (i < 20) longjmp(back, i + 1);
}

__attribute__((noinline)) static void again_and_again(void) {
  before_setjmp = 1; // RACE(before)
  volatile int i = setjmp(back);
  by_longjmp[i] = 1; // RACE(longjmp)
  jump_back(i);
  after_setjmp = 1; // RACE(after)
}

__attribute__((noinline)) static void threaded_code(const unsigned char* code) {
  static void* const labels[] = {&&put, &&skip, &&stop};
  int i = 0;
  goto* labels[*code++];
put:
  by_goto[i] = 1; // RACE(goto)
skip:
  ++i;
  goto* labels[*code++];
stop:
  return;
}

__attribute__((noinline)) static int recursion(int i) {
  by_recursion[i] = 1; // RACE(recursion)
  if (i == 25) return 0;
  return 1 + recursion(i + 1);
}

static void* walker(void* unused) {
  again_and_again();
  threaded_code((const unsigned char[]){0, 0, 1, 1, 0, 2});
  KEEP(recursion(0));
  invisible_signal(&gate);
  return NULL;
}

static void* visitor(void* unused) {
  invisible_wait(&gate, 1);
  before_setjmp = 2; // RACE(before)
  by_longjmp[21] = 1;
  by_longjmp[20] = 1; // RACE(longjmp)
  after_setjmp = 2;   // RACE(after)
  by_goto[2] = by_goto[6] = 1;
  by_goto[4] = 1; // RACE(goto)
  by_recursion[26] = 1;
  by_recursion[25] = 1; // RACE(recursion)
  return NULL;
}

int main(void) { run_two(walker, visitor); }
