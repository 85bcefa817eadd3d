// A trylock guards the branch where it succeeded.
// VERDICT: race-free by global-lock
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void* worker(void* argument) {
  if (pthread_mutex_trylock(&lock) == 0) {
    shared++;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&lock);
  shared++;
  pthread_mutex_unlock(&lock);
  return 0;
}
