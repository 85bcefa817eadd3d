// RUN: %e2e %s
// The report says which locks each side held, how, and where they were taken.
// EXPECT-TEXT: take_first_lock
// EXPECT-TEXT: take_second_lock
// EXPECT-TEXT: [Ss]hared|[Rr]ead
#include "e2e.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
int shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static void take_first_lock(void) {
  pthread_mutex_lock(&mutex);
  ESCAPE(&shared);
}
__attribute__((noinline)) static void take_second_lock(void) {
  pthread_rwlock_rdlock(&rwlock);
  ESCAPE(&shared);
}

static void* first(void* unused) {
  take_first_lock();
  shared = 1; // RACE
  pthread_mutex_unlock(&mutex);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  take_second_lock();
  shared = 2; // RACE
  pthread_rwlock_unlock(&rwlock);
  return NULL;
}

int main(void) { run_two(first, second); }
