// RUN: %e2e %s
// Loads that need no lock: whatever value a load reads, it has met the clock of the store that wrote it, also while the next store is under way.
#include "e2e.h"

enum { rounds = 200000, slots = 64 };
static int data[slots]; // NORACE
static int newest;
static int seen[2];

static void* writer(void* unused) {
  for (int i = 1; i <= rounds; ++i) {
    // The slot comes round again only when both readers are past it.
    while (i - __atomic_load_n(&seen[0], __ATOMIC_ACQUIRE) >= slots ||
           i - __atomic_load_n(&seen[1], __ATOMIC_ACQUIRE) >= slots)
      sched_yield();
    data[i % slots] = i; // NORACE
    __atomic_store_n(&newest, i, __ATOMIC_RELEASE);
  }
  return NULL;
}

static void* reader(void* argument) {
  const long me = (long)argument;
  for (int last = 0; last < rounds;) {
    int now = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    if (now == last) {
      sched_yield();
      continue;
    }
    require(data[now % slots] == now, "what was published is there"); // NORACE
    __atomic_store_n(&seen[me], last = now, __ATOMIC_RELEASE);
  }
  return NULL;
}

int main(void) {
  pthread_t a = start(writer, NULL), b = start(reader, (void*)0), c = start(reader, (void*)1);
  join(a);
  join(b);
  join(c);
}
