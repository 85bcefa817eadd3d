// RUN: %e2e %s
// An array that loops always access as a whole may be checked in its first cell: races are reported with the line and the size of the access, and
// fields of its elements are told apart.
// EXPECT-TEXT: [Ww]rite of size (4|8|16|32)
#include "e2e.h"

enum { kCount = 200 };
static int row[kCount];
static struct {
  long a, b;
} pairs[kCount];
static int guarded[kCount];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int seed = 5;
static struct InvisibleGate gate;

__attribute__((noinline)) static void fill(int value) {
  for (int i = 0; i < kCount; ++i) row[i] = value + i; // RACE(row)
}
__attribute__((noinline)) static void fill_pairs(int value) {
  for (int i = 0; i < kCount; ++i) {
    pairs[i].a = value + i; // RACE(a)
    pairs[i].b = value ^ i; // RACE(b)
  }
}
__attribute__((noinline)) static long sum_pairs(void) {
  long sum = 0;
  for (int i = 0; i < kCount; ++i) {
    sum += pairs[i].a; // RACE(a)
    sum ^= pairs[i].b; // RACE(b)
  }
  return sum;
}
__attribute__((noinline)) static void fill_guarded(int value) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < kCount; ++i) guarded[i] += value + i; // NORACE
  pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) static int sum(void) {
  int all = 0;
  for (int i = 0; i < kCount; ++i) all += row[i];
  return all;
}

static void* first(void* unused) {
  fill(seed);
  fill_pairs(seed);
  fill_guarded(seed);
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  fill(seed + 1);
  KEEP(sum_pairs());
  fill_guarded(seed);
  return NULL;
}

int main(void) {
  run_two(first, second);
  KEEP(sum());
}
