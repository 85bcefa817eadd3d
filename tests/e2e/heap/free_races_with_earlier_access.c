// RUN: %e2e %s
// A free that is not ordered after another thread's access races with it, a write as well as a read.
#include "e2e.h"

static void *written, *read_only;
static struct InvisibleGate gate;

static void* user(void* unused) {
  ((int*)invisible_load(&written))[2] = 1;     // RACE(write)
  KEEP(((int*)invisible_load(&read_only))[2]); // RACE(read)
  invisible_signal(&gate);
  return NULL;
}

static void* owner(void* unused) {
  invisible_wait(&gate, 1);
  free(invisible_load(&written));   // RACE(write)
  free(invisible_load(&read_only)); // RACE(read)
  return NULL;
}

int main(void) {
  invisible_store(&written, calloc(10, 4));
  invisible_store(&read_only, calloc(10, 4));
  run_two(user, owner);
}
