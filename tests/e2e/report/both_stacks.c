// RUN: %e2e %s
// Both stacks are complete, from the access to the thread's function.
// EXPECT-TEXT: write_leaf
// EXPECT-TEXT: write_middle
// EXPECT-TEXT: write_thread
// EXPECT-TEXT: read_leaf
// EXPECT-TEXT: read_middle
// EXPECT-TEXT: read_thread
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static void write_leaf(void) {
  shared = 1; // RACE
  ESCAPE(&shared);
}
__attribute__((noinline)) static void write_middle(void) {
  write_leaf();
  ESCAPE(&shared);
}
static void* write_thread(void* unused) {
  write_middle();
  invisible_signal(&gate);
  return NULL;
}

__attribute__((noinline)) static void read_leaf(void) {
  KEEP(shared); // RACE
  ESCAPE(&shared);
}
__attribute__((noinline)) static void read_middle(void) {
  read_leaf();
  ESCAPE(&shared);
}
static void* read_thread(void* unused) {
  invisible_wait(&gate, 1);
  read_middle();
  ESCAPE(&shared);
  return NULL;
}

int main(void) { run_two(write_thread, read_thread); }
