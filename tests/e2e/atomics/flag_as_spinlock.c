// RUN: %e2e %s
// atomic_flag as a spinlock: test_and_set acquires, clear releases.
#include "e2e.h"
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
long counter;

static void* body(void* unused) {
  for (int i = 0; i < 2000; ++i) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) sched_yield();
    ++counter; // NORACE
    atomic_flag_clear_explicit(&lock, memory_order_release);
  }
  return NULL;
}

int main(void) {
  run_many(4, body);
  require(counter == 8000, "the lock excludes");
}
