// RUN: %e2e %s
// A loop that was unrolled checks four bytes at a time, side by side, and the history has one entry for all of them: a report tells of one access and
// its size, not of the entry.
// EXPECT-TEXT: [Ww]rite of size 1
// REJECT-TEXT: ([Rr]ead|[Ww]rite) of size [0-9][0-9]
#include "e2e.h"

enum { count = 500 };
struct Text {
  unsigned char *from, *to;
};
static unsigned char source[count], target[count];
static struct Text shared = {source, target};
static struct InvisibleGate gate;

__attribute__((noinline)) static void translate(struct Text* text, long n) {
  for (long i = 0; i < n; ++i) text->to[i] = text->from[i] ^ 1; // RACE(target,pointer)
}

static void* translator(void* unused) {
  translate(&shared, count);
  invisible_signal(&gate);
  return NULL;
}

static void* visitor(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(target[count / 2]); // RACE(target)
  shared.to = source;      // RACE(pointer)
  return NULL;
}

int main(void) { run_two(translator, visitor); }
