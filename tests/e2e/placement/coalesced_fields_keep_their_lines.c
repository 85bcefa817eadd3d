// RUN: %e2e %s
// The fields of an object that are written together may have one check: a race of each field is still one of its own, with the line and
// the size of the access, not of the check.
// EXPECT-TEXT: [Ww]rite of size 8
// EXPECT-TEXT: [Ww]rite of size 4
// EXPECT-TEXT: [Ww]rite of size 2
// REJECT-TEXT: ([Rr]ead|[Ww]rite) of size (12|14|16)
#include "e2e.h"

struct Record {
  long number;
  int count;
  short flag;
};

struct Record shared;
static struct InvisibleGate gate;

static void* first(void* unused) {
  struct Record* r = &shared;
  r->number = 1; // RACE(number)
  r->count = 2;  // RACE(count)
  r->flag = 3;   // RACE(flag)
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  struct Record* r = &shared;
  r->number += 4; // RACE(number)
  r->count += 5;  // RACE(count)
  r->flag += 6;   // RACE(flag)
  return NULL;
}

int main(void) { run_two(first, second); }
