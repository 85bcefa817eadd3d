// RUN: %e2e %s
// RUN: %e2e-v3 %s
// Every other element of a row: read as one wide vector, of which half is used. The others are not read.
#include "e2e.h"

long rows[16];
double halves[16];
static struct InvisibleGate gate;
static volatile long total;

__attribute__((noinline)) static long sum_of_rows(void) {
  long sum = 0;
  for (int i = 0; i < 4; ++i) sum += rows[2 * i]; // RACE(read)
  return sum;
}
__attribute__((noinline)) static long sum_of_halves(void) {
  long sum = 0;
  for (int i = 0; i < 4; ++i) sum += (long)halves[2 * i]; // NORACE
  return sum;
}
static void* first(void* unused) {
  total = sum_of_rows() + sum_of_halves();
  invisible_signal(&gate);
  return NULL;
}
__attribute__((optnone)) static void* second(void* unused) {
  invisible_wait(&gate, 1);
  for (int i = 1; i < 16; i += 2) halves[i] = 1; // NORACE
  for (int i = 1; i < 16; i += 2) rows[i] = 1;   // NORACE
  rows[4] = 1;                                   // RACE(read)
  return NULL;
}

int main(void) { run_two(first, second); }
