// RUN: %e2e %s
// The second byte of the word waits for its check while the other thread reads it; the read comes first to the shadow, and the write, which was
// first in time, must find it when its thread ends. Both stacks are those of the accesses.
// EXPECT-TEXT: write_text
// EXPECT-TEXT: writer
#include "e2e.h"

_Alignas(8) volatile char text[8];
static struct InvisibleGate gate;

__attribute__((noinline)) static void write_text(int n) {
  for (int i = 0; i < n; ++i) text[i] = 'x'; // RACE
  ESCAPE(&text);
}

static void* writer(void* unused) {
  write_text(3);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP((int)text[1]); // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
