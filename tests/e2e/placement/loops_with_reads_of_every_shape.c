// RUN: %e2e %s
// The same for loops that read: strings, matrices by column, a window, gathered elements, a list, and loops that are left in the middle.
#include "e2e.h"

enum { count = 128 };
struct Node {
  struct Node* next;
  int value, other;
};
char text[count] = "some words, and nothing behind them";
int matrix[16][16], window[count], table[count], places[8] = {3, 1, 4, 15, 9, 26, 5, 35}, halves[count];
short shorts[count];
long long longs[count];
struct Node nodes[10];
static struct InvisibleGate gate;

__attribute__((noinline)) static long length(const char* s) {
  long n = 0;
  while (s[n]) ++n; // RACE(text)
  return n;
}

__attribute__((noinline)) static long column(int which) {
  long sum = 0;
  for (int i = 0; i < 16; ++i) sum += matrix[i][which]; // RACE(column)
  return sum;
}

__attribute__((noinline)) static long smooth(int from, int to) {
  long sum = 0;
  for (int i = from; i < to; ++i)
    sum += window[i - 1] + window[i] + // NORACE
           window[i + 1];              // RACE(window)
  return sum;
}

__attribute__((noinline)) static long gather(void) {
  long sum = 0;
  for (int i = 0; i < 8; ++i) sum += table[places[i]]; // RACE(table)
  return sum;
}

__attribute__((noinline)) static long values(const struct Node* node) {
  long sum = 0;
  for (; node; node = node->next) sum += node->value; // RACE(list)
  return sum;
}

__attribute__((noinline)) static int first_above(int limit) {
  for (int i = 0; i < count; ++i) {
    if (halves[i] > limit) return i; // RACE(halves)
    if (i == 64) return -1;
  }
  return -2;
}

__attribute__((noinline)) static long mixed(int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += shorts[2 * i] + longs[i]; // RACE(short,long)
  return sum;
}

static void* walker(void* unused) {
  KEEP(length(text) + column(5) + smooth(10, 20) + gather() + values(nodes) + first_above(1000) + mixed(32));
  invisible_signal(&gate);
  return NULL;
}

static void* visitor(void* unused) {
  invisible_wait(&gate, 1);
  text[36] = 1;
  text[35] = 1; // RACE(text)
  matrix[7][4] = matrix[7][6] = 1;
  matrix[7][5] = 1; // RACE(column)
  window[8] = window[21] = 1;
  window[20] = 1; // RACE(window)
  table[2] = table[25] = table[34] = 1;
  table[26] = 1; // RACE(table)
  nodes[4].other = 1;
  nodes[4].value = 1; // RACE(list)
  halves[65] = 1;
  halves[64] = 1; // RACE(halves)
  shorts[63] = shorts[64] = 1;
  shorts[62] = 1; // RACE(short)
  longs[32] = 1;
  longs[31] = 1; // RACE(long)
  return NULL;
}

int main(void) {
  for (int i = 0; i < 9; ++i) nodes[i].next = &nodes[i + 1];
  run_two(walker, visitor);
}
