// RUN: %e2e %s
// An atomic struct that is not lock-free goes through libatomic's locks: no race, and it carries a message.
// FLAGS: -latomic -Wno-atomic-alignment
#include "e2e.h"

typedef struct {
  char bytes[24];
} Big;
_Atomic Big flag;
int data;

static void* writer(void* unused) {
  Big value = {{1}};
  data = 1; // NORACE
  __c11_atomic_store(&flag, value, __ATOMIC_SEQ_CST);
  return NULL;
}

static void* reader(void* unused) {
  while (__c11_atomic_load(&flag, __ATOMIC_SEQ_CST).bytes[0] == 0) sched_yield();
  KEEP(data); // NORACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
