// RUN: %e2e %s
// A relaxed read-modify-write continues another thread's release sequence but publishes nothing itself.
#include "e2e.h"

int theirs, own, flag;
static struct InvisibleGate gate;

static void* releaser(void* unused) {
  theirs = 1; // NORACE
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  invisible_signal(&gate);
  return NULL;
}

static void* incrementer(void* unused) {
  invisible_wait(&gate, 1);
  own = 1; // RACE
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELAXED);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 2);
  require(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2, "the reader sees the increment");
  KEEP(theirs); // NORACE
  KEEP(own);    // RACE
  return NULL;
}

int main(void) { run_three(releaser, incrementer, reader); }
