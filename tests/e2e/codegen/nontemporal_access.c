// RUN: %e2e %s
// Non-temporal stores and loads are stores and loads.
#include "e2e.h"

int stored, loaded;
static struct InvisibleGate gate;

static void* first(void* unused) {
  __builtin_nontemporal_store(1, &stored);   // RACE(store)
  KEEP(__builtin_nontemporal_load(&loaded)); // RACE(load)
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(stored); // RACE(store)
  loaded = 1;   // RACE(load)
  return NULL;
}

int main(void) { run_two(first, second); }
