// RUN: %e2e %s
// Each side holds a mutex, but not the same one.
#include "e2e.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
int shared;
static struct InvisibleGate gate;

static void* first(void* unused) {
  pthread_mutex_lock(&one);
  ++shared; // RACE
  pthread_mutex_unlock(&one);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  pthread_mutex_lock(&two);
  ++shared; // RACE
  pthread_mutex_unlock(&two);
  return NULL;
}

int main(void) { run_two(first, second); }
