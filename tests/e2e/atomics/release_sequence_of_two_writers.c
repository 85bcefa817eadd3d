// RUN: %e2e %s
// Two releasing read-modify-writes: reading the second synchronises with both.
#include "e2e.h"

int one, two, flag;
static struct InvisibleGate gate;

static void* first(void* unused) {
  one = 1; // NORACE
  __atomic_fetch_add(&flag, 1, __ATOMIC_RELEASE);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  two = 1; // NORACE
  __atomic_fetch_or(&flag, 2, __ATOMIC_RELEASE);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 2);
  require(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 3, "the reader sees both");
  KEEP(one); // NORACE
  KEEP(two); // NORACE
  return NULL;
}

int main(void) { run_three(first, second, reader); }
