// RUN: %e2e %s
// A relaxed store of another thread cuts the release sequence: reading its value synchronises with nobody.
#include "e2e.h"

int data, flag;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  data = 1; // RACE
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  invisible_signal(&gate);
  return NULL;
}

static void* cutter(void* unused) {
  invisible_wait(&gate, 1);
  __atomic_store_n(&flag, 2, __ATOMIC_RELAXED);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 2);
  require(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2, "the reader sees the relaxed store");
  KEEP(data); // RACE
  return NULL;
}

int main(void) { run_three(writer, cutter, reader); }
