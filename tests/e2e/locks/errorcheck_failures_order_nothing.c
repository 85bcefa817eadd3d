// RUN: %e2e %s
// Operations of an error-checking mutex that fail (EDEADLK, EPERM) neither acquire nor release.
#include "e2e.h"
#include <errno.h>

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int shared;
static struct InvisibleGate gate;

static void* first(void* unused) {
  shared = 1; // RACE
  require(pthread_mutex_unlock(&mutex) == EPERM, "not the owner");
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  pthread_mutex_lock(&mutex);
  require(pthread_mutex_lock(&mutex) == EDEADLK, "already the owner");
  KEEP(shared); // RACE
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) { run_two(first, second); }
