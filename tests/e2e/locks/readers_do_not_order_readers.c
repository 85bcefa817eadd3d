// RUN: %e2e %s
// Two threads that hold a rwlock for reading, one after the other, are not ordered.
#include "e2e.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;
static struct InvisibleGate gate;

static void* first(void* unused) {
  pthread_rwlock_rdlock(&lock);
  shared = 1; // RACE
  pthread_rwlock_unlock(&lock);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  pthread_rwlock_rdlock(&lock);
  KEEP(shared); // RACE
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) { run_two(first, second); }
