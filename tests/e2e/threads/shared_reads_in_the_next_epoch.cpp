// RUN: %e2e %s
// Data that two threads read in a loop is known to both of them in line; in their next epoch it is read anew. The write is ordered after the
// first round of reads by the lock, not after the second.
#include "e2e.h"

constexpr unsigned size = 200;
static long table[size];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static InvisibleGate gate;

__attribute__((noinline)) static long sum(unsigned step) {
  long total = 0;
  for (int again = 0; again < 20; ++again)
    for (unsigned i = again % 2; i < size; i += step) total += table[i]; // RACE
  return total;
}

static void* first(void*) {
  KEEP(sum(1));
  invisible_signal(&gate);
  invisible_wait(&gate, 2);
  KEEP(sum(1)); // both have read all of it
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  KEEP(sum(3));
  invisible_signal(&gate);
  return nullptr;
}
static void* second(void*) {
  invisible_wait(&gate, 1);
  KEEP(sum(1));
  KEEP(sum(1));
  invisible_signal(&gate);
  invisible_wait(&gate, 3);
  pthread_mutex_lock(&mutex);
  table[3] = 1; // RACE
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

int main() {
  for (unsigned i = 0; i < size; ++i) table[i] = i;
  run_two(first, second);
}
