// RUN: %e2e %s
// The owner of a robust mutex dies; the next owner (EOWNERDEAD) is ordered after what the dead one did.
#include "e2e.h"
#include <errno.h>

static pthread_mutex_t mutex;
int data;
static struct InvisibleGate gate;

static void* dies(void* unused) {
  pthread_mutex_lock(&mutex);
  data = 1; // NORACE
  return NULL;
}

static void* inherits(void* unused) {
  invisible_wait(&gate, 1);
  require(pthread_mutex_lock(&mutex) == EOWNERDEAD, "the owner is dead");
  data = 2; // NORACE
  pthread_mutex_consistent(&mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &robust);
  pthread_t second = start(inherits, NULL), first = start(dies, NULL);
  join(first);
  invisible_signal(&gate);
  join(second);
}
