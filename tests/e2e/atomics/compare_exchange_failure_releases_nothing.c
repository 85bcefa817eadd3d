// RUN: %e2e %s
// A failed compare-exchange stores nothing, so it publishes nothing, whatever its success order.
#include "e2e.h"

int data, flag = 1;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  data = 1; // RACE
  int expected = 0;
  require(!__atomic_compare_exchange_n(&flag, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST),
          "it fails");
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(__atomic_load_n(&flag, __ATOMIC_SEQ_CST));
  KEEP(data); // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
