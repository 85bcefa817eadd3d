// RUN: %e2e %s
// The same without the second round: what was read is ordered before the write by the lock, and nothing is reported.
#include "e2e.h"

constexpr unsigned size = 200;
static long table[size];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static InvisibleGate gate;

__attribute__((noinline)) static long sum(unsigned step) {
  long total = 0;
  for (int again = 0; again < 20; ++again)
    for (unsigned i = again % 2; i < size; i += step) total += table[i];
  return total;
}

static void* first(void*) {
  KEEP(sum(1));
  invisible_signal(&gate);
  invisible_wait(&gate, 2);
  KEEP(sum(1));
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
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
  table[3] = 1;
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

int main() {
  for (unsigned i = 0; i < size; ++i) table[i] = i;
  run_two(first, second);
}
