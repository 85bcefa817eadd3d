// RUN: %e2e %s
// A local of one thread whose address another thread got is shared memory: it races, and the report names the
// stack.
// EXPECT-TEXT: stack of
#include "e2e.h"

void* published;
static struct InvisibleGate gate, end;

static void* owner(void* unused) {
  int local;
  invisible_store(&published, &local);
  ESCAPE(&local);
  local = 1; // RACE
  invisible_signal(&gate);
  invisible_wait(&end, 1);
  KEEP(local);
  return NULL;
}

static void* other(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(*(int*)invisible_load(&published)); // RACE
  invisible_signal(&end);
  return NULL;
}

int main(void) { run_two(owner, other); }
