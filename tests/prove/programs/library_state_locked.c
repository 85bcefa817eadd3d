// The nearest program that must not be reported: the calls are under one lock.
// VERDICT: race-free by global-lock
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int draw(void) {
  pthread_mutex_lock(&lock);
  int value = rand();
  pthread_mutex_unlock(&lock);
  return value;
}

static void* worker(void* argument) { return (void*)(long)draw(); }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  return draw();
}
