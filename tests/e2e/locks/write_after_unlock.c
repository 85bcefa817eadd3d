// RUN: %e2e %s
// What follows the unlock is not ordered by it.
#include "e2e.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int inside, outside;
static struct InvisibleGate gate;

static void* first(void* unused) {
  pthread_mutex_lock(&mutex);
  inside = 1; // NORACE
  pthread_mutex_unlock(&mutex);
  outside = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  pthread_mutex_lock(&mutex);
  KEEP(inside);  // NORACE
  KEEP(outside); // RACE
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) { run_two(first, second); }
