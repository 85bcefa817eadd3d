// RUN: %e2e %s
// A previous access whose stack has aged out is reported with its line, and the report says what is missing.
// OPTIONS: history_size=64
// EXPECT-TEXT: aged out|no longer|lost|forgotten
#include "e2e.h"

int shared, other[4096];
static struct InvisibleGate gate;

__attribute__((noinline)) static void old_access(void) {
  shared = 1; // RACE
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
  shared = 2; // RACE
  return NULL;
}

int main(void) { run_two(first, second); }
