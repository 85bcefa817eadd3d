// RUN: %e2e %s
// Two branches access the same fields and what follows them a neighbour: one check behind the join could stand for all of them, but a
// race is reported on the lines of the branch that was taken, whichever it was.
// REJECT-TEXT: ([Rr]ead|[Ww]rite) of size (12|16)
#include "e2e.h"

struct Record {
  long kind;
  int count;
  int flag;
};

struct Record left, right;
long seen;
static volatile int zero, one = 1; // nobody writes them
static struct InvisibleGate gate;

// In another order, so that the stores of the two branches do not become one.
static __attribute__((noinline)) void fill(volatile struct Record* r, int which, int value) {
  if (which == 0) {
    r->kind = 1;      // RACE(kindL)
    r->count = value; // RACE(countL)
  } else {
    r->count = 3;    // RACE(countR)
    r->kind = value; // RACE(kindR)
  }
  r->flag = value; // NORACE: nobody else accesses it
}

static __attribute__((noinline)) long sum(volatile struct Record* r, int which) {
  long sum = 0;
  if (which == 0) {
    sum = r->count; // RACE(countR)
    sum -= r->kind; // RACE(kindR)
  } else {
    sum = r->kind;   // RACE(kindL)
    sum += r->count; // RACE(countL)
  }
  return sum;
}

static void* first(void* unused) {
  fill(&left, zero, 10);
  fill(&right, one, 11);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  seen = sum(&right, zero) + sum(&left, one);
  return NULL;
}

int main(void) { run_two(first, second); }
