// RUN: %e2e %s
// A relaxed read-modify-write of another thread continues the release sequence: reading its value still
// synchronises.
#include "e2e.h"

int data, flag;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  data = 1; // NORACE
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  invisible_signal(&gate);
  return NULL;
}

static void* incrementer(void* unused) {
  invisible_wait(&gate, 1);
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELAXED);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 2);
  require(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2, "the reader sees the increment");
  KEEP(data); // NORACE
  return NULL;
}

int main(void) { run_three(writer, incrementer, reader); }
