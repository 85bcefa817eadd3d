// RUN: %e2e %s
// What memory was last written by is remembered however much the thread has done since: what is forgotten is what no memory tells any more.
// OPTIONS: history_size=64
// EXPECT-TEXT: #0 old_access
// REJECT-TEXT: no longer known
#include "e2e.h"

int shared, other[4096];
static struct InvisibleGate gate;

__attribute__((noinline)) static void old_access(void) {
  shared = 1; // RACE(old)
  ESCAPE(&shared);
}

__attribute__((noinline)) static void touch(int i) {
  other[i] = i; // NORACE
  ESCAPE(other);
}

static void* first(void* unused) {
  old_access();
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 4096; ++i) touch(i);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  shared = 2; // RACE(old)
  return NULL;
}

int main(void) { run_two(first, second); }
