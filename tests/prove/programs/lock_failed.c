// The program looks whether the lock was taken, and goes on without it.
// VERDICT: pairs
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* worker(void* argument) {
  pthread_mutex_lock(&lock);
  shared = 1; // RACE
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  if (pthread_mutex_lock(&lock)) {
    shared = 2; // RACE
  } else {
    shared = 3;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
