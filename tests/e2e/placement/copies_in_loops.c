// RUN: %e2e %s
// Loops that are memcpy, memmove, memset or strlen at some levels: source and destination are checked to their ends, and no further.
#include "e2e.h"

#include <string.h>

enum { count = 100 };
int source[count], target[count], cleared[count], shifted[count];
char bytes[count], word[count] = "word";
struct Pair {
  int a, b;
} pairs[count], copies[count];
static struct InvisibleGate gate;

__attribute__((noinline)) static void copy(int* to, const int* from, int n) {
  for (int i = 0; i < n; ++i) to[i] = from[i]; // RACE(source,target)
}
__attribute__((noinline)) static void clear(int* p, int n) {
  for (int i = 0; i < n; ++i) p[i] = 0; // RACE(cleared)
}
__attribute__((noinline)) static void shift(int* p, int n) {
  for (int i = 0; i + 1 < n; ++i) p[i] = p[i + 1]; // RACE(shifted)
}
__attribute__((noinline)) static void copy_bytes(char* to, const char* from, long n) {
  while (n--) *to++ = *from++; // RACE(bytes)
}
__attribute__((noinline)) static void copy_halves(struct Pair* to, const struct Pair* from, int n) {
  for (int i = 0; i < n; ++i) to[i].a = from[i].a; // RACE(half)
}

static void* walker(void* unused) {
  copy(target, source, 50);
  clear(cleared + 10, 50);
  shift(shifted, 50);
  copy_bytes(bytes, word, 5);
  copy_halves(copies, pairs, 50);
  invisible_signal(&gate);
  return NULL;
}

static void* visitor(void* unused) {
  invisible_wait(&gate, 1);
  source[50] = target[50] = 1;
  source[49] = 1;   // RACE(source)
  KEEP(target[48]); // RACE(target)
  cleared[9] = cleared[60] = 1;
  cleared[59] = 1; // RACE(cleared)
  shifted[50] = 1;
  KEEP(shifted[48]); // RACE(shifted)
  KEEP(shifted[49]); // NORACE: only read
  bytes[5] = word[5] = 1;
  bytes[4] = 1; // RACE(bytes)
  copies[49].b = pairs[49].b = 1;
  copies[48].a = 1; // RACE(half)
  return NULL;
}

int main(void) { run_two(walker, visitor); }
