// RUN: %e2e %s
// realloc reads the old block and frees it: an unordered write of another thread races.
#include "e2e.h"

void* published;
static struct InvisibleGate gate;

static void* user(void* unused) {
  ((int*)invisible_load(&published))[5] = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* owner(void* unused) {
  invisible_wait(&gate, 1);
  void* moved = realloc(invisible_load(&published), 100000); // RACE
  ESCAPE(moved);
  free(moved);
  return NULL;
}

int main(void) {
  invisible_store(&published, calloc(10, 4));
  run_two(user, owner);
}
