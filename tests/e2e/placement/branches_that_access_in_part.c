// RUN: %e2e %s
// What only some ways through a function access is checked on those ways only; what all of them access, once.
#include "e2e.h"

struct State {
  int a, b, c, d, e, f, g, h;
};
struct State left, switched, looped, early;
static struct InvisibleGate gate;

__attribute__((noinline)) static void branch(struct State* s, int which) {
  if (which) {
    s->a = 1; // RACE(a)
    s->b = 1; // RACE(b)
  } else {
    s->b = 2; // NORACE: not the way that was taken
    s->c = 2;
  }
  s->d = 3; // RACE(d)
}

__attribute__((noinline)) static void choose(struct State* s, int which) {
  switch (which) {
  case 0:
    s->a = 1;
    break;
  case 1:
    s->b = 1; // RACE(case)
    // fall through
  case 2:
    s->d = 1; // RACE(through)
    break;
  default:
    s->e = 1;
  }
  if (which > 5) s->f = 1;
}

__attribute__((noinline)) static void some(struct State* s, int n, unsigned mask) {
  for (int i = 0; i < n; ++i) {
    if (mask >> i & 1)
      s->a += i; // RACE(some)
    else if (i > 100)
      s->c += i; // NORACE: never that far
    else
      s->e += i; // RACE(else)
  }
}

__attribute__((noinline)) static int leave(struct State* s, int which) {
  s->a = 1;                    // RACE(early)
  if (which == 1) return s->c; // RACE(returned)
  s->e = 1;                    // NORACE: left before
  if (which == 2) return 0;
  s->g = 1;
  return 1;
}

static void* walker(void* unused) {
  branch(&left, 1);
  choose(&switched, 1);
  some(&looped, 8, 0x55);
  KEEP(leave(&early, 1));
  invisible_signal(&gate);
  return NULL;
}

// Each for itself: the compiler would make one store of neighbours.
#define PUT(field) (*(volatile int*)&(field) = 9)

static void* visitor(void* unused) {
  invisible_wait(&gate, 1);
  PUT(left.c);
  PUT(left.a); // RACE(a)
  PUT(left.b); // RACE(b)
  PUT(left.d); // RACE(d)
  PUT(switched.a);
  PUT(switched.e);
  PUT(switched.f);
  PUT(switched.b); // RACE(case)
  PUT(switched.d); // RACE(through)
  PUT(looped.c);
  PUT(looped.a); // RACE(some)
  PUT(looped.e); // RACE(else)
  PUT(early.e);
  PUT(early.g);
  PUT(early.a); // RACE(early)
  PUT(early.c); // RACE(returned)
  return NULL;
}

int main(void) { run_two(walker, visitor); }
