// RUN: %e2e %s
// A release store starts a new sequence: reading it synchronises with its thread only, not with the store it
// replaced.
#include "e2e.h"

int one, two, flag;
static struct InvisibleGate gate;

static void* first(void* unused) {
  one = 1; // RACE
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  two = 1; // NORACE
  __atomic_store_n(&flag, 2, __ATOMIC_RELEASE);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 2);
  require(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2, "the reader sees the second store");
  KEEP(two); // NORACE
  KEEP(one); // RACE
  return NULL;
}

int main(void) { run_three(first, second, reader); }
