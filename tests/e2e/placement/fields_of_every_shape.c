// RUN: %e2e %s
// Fields that lie beside each other may share a check; the bytes that nobody accessed are in none.
#include "e2e.h"

struct __attribute__((packed)) Packed {
  char tag;
  int number; // not aligned
  short hole;
  long long wide;
};
struct Bits {
  unsigned a : 8, b : 24; // in one unit with each other
  unsigned : 0;
  unsigned c : 16; // in another
};
union Either {
  long long whole;
  struct {
    int low, high;
  };
  char bytes[8];
};
struct Padded {
  char first;
  long second;
  char third;
  int fourth[3];
};
struct Packed packed;
struct Bits bits;
union Either either, other;
struct Padded padded, copy;
volatile int signals[4];
static struct InvisibleGate gate;

__attribute__((noinline)) static void fill(struct Packed* p, struct Bits* b, union Either* e,
                                           struct Padded* s) {
  p->tag = 1;
  p->number = 2; // RACE(number)
  p->wide = 3;
  b->a = 1;   // RACE(unit)
  e->low = 5; // RACE(low)
  s->first = 1;
  s->second = 2;
  s->fourth[0] = 3;
  s->fourth[2] = 4; // RACE(fourth)
  signals[1] = 1;   // RACE(signal)
  signals[2] = 1;
  other.bytes[3] = 1; // RACE(bytes)
}

static void* writer(void* unused) {
  fill(&packed, &bits, &either, &padded);
  invisible_signal(&gate);
  return NULL;
}

static void* visitor(void* unused) {
  invisible_wait(&gate, 1);
  packed.hole = 1;
  KEEP(packed.number); // RACE(number)
  bits.c = 1;
  bits.b = 1; // RACE(unit)
  either.high = 1;
  either.bytes[3] = 1; // RACE(low)
  padded.third = 1;
  padded.fourth[1] = 1;
  padded.fourth[2] = 1; // RACE(fourth)
  signals[0] = signals[3] = 1;
  signals[1] = 2; // RACE(signal)
  other.high = 1;
  other.low = 1; // RACE(bytes)
  return NULL;
}

int main(void) { run_two(writer, visitor); }
