// RUN: %e2e %s
// A check of a loop is about the elements that the loop accesses, whatever its counter does: one of them races, their neighbours do not.
#include "e2e.h"

enum { count = 300 };
int by_threes[count], downwards[count], wrapping[count], until_found[count], by_pointer[count], back[count];
int triangle[20][20], every_other[count], by_argument[count], from_both_ends[count], unsigned_down[count];
int never[count];
int stride = 7;
static struct InvisibleGate gate;

__attribute__((noinline)) static void walk(int n, int step) {
  for (int i = 0; i < n; i += 3) by_threes[i] = i;          // RACE(threes)
  for (int i = n - 1; i >= 100; --i) downwards[i] = i;      // RACE(down)
  for (unsigned char i = 250; i != 4; ++i) wrapping[i] = i; // RACE(wrap)
  for (int i = 0; i < n; ++i) {
    until_found[i] = i; // RACE(found)
    if (i == 150) break;
  }
  for (int *p = by_pointer, *end = by_pointer + n / 2; p != end; ++p) *p = 1; // RACE(pointer)
  for (int* p = back + 200; p-- != back + 100;) *p = 1;                       // RACE(back)
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j <= i; ++j) triangle[i][j] = i; // RACE(triangle)
  for (int i = 0; i < n; ++i) {
    if (i & 1) continue;
    every_other[i] = i; // RACE(other)
  }
  for (int i = 0; i < n; i += step) by_argument[i] = i; // RACE(argument)
  for (int i = 0, j = n - 1; i < 50; ++i, --j) {
    from_both_ends[i] = i; // NORACE: the visitor is at the other end
    from_both_ends[j] = j; // RACE(end)
  }
  for (unsigned i = 9; i < 10; --i) unsigned_down[i] = 1; // RACE(unsigned)
  for (int i = n; i < n; ++i) never[i - n] = 1;           // NORACE: not once
}

static void* walker(void* unused) {
  walk(count, stride);
  invisible_signal(&gate);
  return NULL;
}

static void* visitor(void* unused) {
  invisible_wait(&gate, 1);
  by_threes[151] = by_threes[152] = 1;
  by_threes[150] = 1; // RACE(threes)
  downwards[99] = 1;
  downwards[100] = 1; // RACE(down)
  wrapping[4] = wrapping[249] = 1;
  wrapping[3] = 1; // RACE(wrap)
  until_found[151] = 1;
  until_found[150] = 1; // RACE(found)
  by_pointer[150] = 1;
  by_pointer[149] = 1; // RACE(pointer)
  back[99] = back[200] = 1;
  back[100] = 1; // RACE(back)
  triangle[10][11] = 1;
  triangle[10][10] = 1; // RACE(triangle)
  every_other[201] = 1;
  every_other[202] = 1; // RACE(other)
  by_argument[13] = by_argument[15] = 1;
  by_argument[14] = 1; // RACE(argument)
  from_both_ends[50] = from_both_ends[249] = 1;
  from_both_ends[250] = 1; // RACE(end)
  unsigned_down[10] = 1;
  unsigned_down[0] = 1; // RACE(unsigned)
  never[0] = 1;
  return NULL;
}

int main(void) { run_two(walker, visitor); }
