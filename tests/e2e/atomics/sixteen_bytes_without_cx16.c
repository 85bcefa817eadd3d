// RUN: %e2e %s
// Without -mcx16 the compiler calls libatomic: still atomic, still a message.
// FLAGS: -latomic -Wno-atomic-alignment
#include "e2e.h"

_Atomic __int128 flag;
int data;

static void* writer(void* unused) {
  data = 1; // NORACE
  __c11_atomic_store(&flag, 1, __ATOMIC_RELEASE);
  return NULL;
}

static void* reader(void* unused) {
  while (!__c11_atomic_load(&flag, __ATOMIC_ACQUIRE)) sched_yield();
  KEEP(data); // NORACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
