// RUN: %e2e %s
// Destructors of thread-specific data run in their thread: ordered before its join, unordered with other
// threads.
#include "e2e.h"

static pthread_key_t key;
int joined, raced;
static struct InvisibleGate gate;

static void destroy(void* value) {
  joined = 1; // NORACE
  raced = 1;  // RACE
  free(value);
  invisible_signal(&gate);
}

static void* owner(void* unused) {
  pthread_setspecific(key, malloc(8));
  return NULL;
}

static void* other(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(raced); // RACE
  return NULL;
}

int main(void) {
  pthread_key_create(&key, destroy);
  run_two(owner, other);
  KEEP(joined); // NORACE
}
