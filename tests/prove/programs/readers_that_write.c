// The twin of readers_and_writers.c: the writer takes the lock as a reader.
// VERDICT: pairs
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void* reader(void* argument) {
  pthread_rwlock_rdlock(&lock);
  long value = shared; // RACE
  pthread_rwlock_unlock(&lock);
  return (void*)value;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  pthread_rwlock_rdlock(&lock);
  shared++; // RACE
  pthread_rwlock_unlock(&lock);
  return 0;
}
