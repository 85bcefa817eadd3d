// RUN: %e2e %s
// Variables that nobody else knows and that are always accessed together may be checked through one of them. A race of each is still a
// report of its own, with its line, kind, size and name.
// EXPECT-TEXT: [Ww]rite of size 8
// EXPECT-TEXT: [Ww]rite of size 4
// EXPECT-TEXT: [Ww]rite of size 2
// EXPECT-TEXT: [Rr]ead of size 4
// EXPECT-TEXT: Location is global 'last'
// EXPECT-TEXT: Location is global 'count'
// EXPECT-TEXT: Location is global 'record
#include "e2e.h"

static struct {
  long number, gap, other;
  short flag;
} record;
static int count;
static long last;
static int shown, hidden;
static struct InvisibleGate gate;
static volatile int seed = 5; // not known to the compiler, which would make less of the variables

__attribute__((noinline)) static void put(long value) {
  record.number = value;      // RACE(number)
  record.other = value;       // RACE(other)
  record.flag = (short)value; // RACE(flag)
  count = (int)value;         // RACE(count)
  last = value;               // RACE(last)
}

__attribute__((noinline)) static void set(int value) {
  shown = value;  // RACE(shown)
  hidden = value; // RACE(hidden)
}

__attribute__((noinline)) static int sum(void) {
  return shown     // RACE(shown)
         + hidden; // RACE(hidden)
}

static void* first(void* unused) {
  put(seed);
  set(seed);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  put(seed + 1);
  KEEP(sum());
  return NULL;
}

int main(void) {
  run_two(first, second);
  KEEP(record.number + record.other + record.flag + count + last); // NORACE: the threads are over
}
