// RUN: %e2e %s
// A thread-local whose address another thread got is shared memory.
// EXPECT-TEXT: TLS|thread-local
#include "e2e.h"

static _Thread_local int mine;
void* published;
static struct InvisibleGate gate, end;

static void* owner(void* unused) {
  int* address = &mine;
  ESCAPE(address);
  invisible_store(&published, address);
  *address = 1; // RACE
  invisible_signal(&gate);
  invisible_wait(&end, 1);
  return NULL;
}

static void* other(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(*(int*)invisible_load(&published)); // RACE
  invisible_signal(&end);
  return NULL;
}

int main(void) { run_two(owner, other); }
