// RUN: %e2e %s
// A successful compare-exchange acquires and releases by its success order, strong and weak.
#include "e2e.h"

int data, more, flag;

static void* first(void* unused) {
  data = 1; // NORACE
  int expected = 0;
  require(__atomic_compare_exchange_n(&flag, &expected, 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED),
          "first wins");
  return NULL;
}

static void* second(void* unused) {
  int expected = 1;
  while (!__atomic_compare_exchange_n(&flag, &expected, 2, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    expected = 1;
    sched_yield();
  }
  KEEP(data); // NORACE
  data = 2;   // NORACE
  more = 1;   // NORACE
  expected = 2;
  require(__atomic_compare_exchange_n(&flag, &expected, 3, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST),
          "second wins");
  return NULL;
}

static void* third(void* unused) {
  while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != 3) sched_yield();
  KEEP(data); // NORACE
  KEEP(more); // NORACE
  return NULL;
}

int main(void) { run_three(first, second, third); }
