// RUN: %e2e %s
// A relaxed store does not publish, a relaxed load does not acquire: the data races, the flag does not.
#include "e2e.h"

int data_one, data_two, data_three, flag_one, flag_two, flag_three;

static void* writer(void* unused) {
  data_one = 1; // RACE(relaxed)
  __atomic_store_n(&flag_one, 1, __ATOMIC_RELAXED);
  data_two = 1; // RACE(store)
  __atomic_store_n(&flag_two, 1, __ATOMIC_RELAXED);
  data_three = 1; // RACE(load)
  __atomic_store_n(&flag_three, 1, __ATOMIC_RELEASE);
  return NULL;
}

static void* reader(void* unused) {
  while (!__atomic_load_n(&flag_one, __ATOMIC_RELAXED)) sched_yield(); // NORACE
  KEEP(data_one);                                                      // RACE(relaxed)
  while (!__atomic_load_n(&flag_two, __ATOMIC_ACQUIRE)) sched_yield();
  KEEP(data_two); // RACE(store)
  while (!__atomic_load_n(&flag_three, __ATOMIC_RELAXED)) sched_yield();
  KEEP(data_three); // RACE(load)
  return NULL;
}

int main(void) { run_two(writer, reader); }
