// RUN: %e2e %s
// A failed compare-exchange is a load with its failure order: acquire synchronises, relaxed does not.
#include "e2e.h"

int seen, unseen, flag, other;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  seen = 1; // NORACE
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  unseen = 1; // RACE
  __atomic_store_n(&other, 1, __ATOMIC_RELEASE);
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  int expected = 7;
  require(!__atomic_compare_exchange_n(&flag, &expected, 9, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE),
          "it fails");
  KEEP(seen); // NORACE
  expected = 7;
  require(!__atomic_compare_exchange_n(&other, &expected, 9, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED),
          "it fails");
  KEEP(unseen); // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
