// RUN: %e2e %s
// A block that its thread has freed and allocated again is used by another thread, and nothing orders that after either: the owner's accesses to
// the memory may take effect after the other's.
// EXPECT-TEXT: The free ended an earlier block
#include "e2e.h"

void* published;
static struct InvisibleGate gate;

static void* owner(void* unused) {
  long* block = (long*)malloc(40);
  ESCAPE(block);
  free(block); // RACE
  block = (long*)malloc(40);
  invisible_store(&published, block);
  invisible_signal(&gate);
  return NULL;
}

static void* user(void* unused) {
  invisible_wait(&gate, 1);
  long* block = (long*)invisible_load(&published);
  block[3] = 1; // RACE
  return NULL;
}

int main(void) { run_two(owner, user); }
