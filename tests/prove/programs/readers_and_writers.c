// Readers share a lock with each other and not with the writer.
// VERDICT: race-free by global-lock
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void* reader(void* argument) {
  pthread_rwlock_rdlock(&lock);
  long value = shared;
  pthread_rwlock_unlock(&lock);
  return (void*)value;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  pthread_rwlock_wrlock(&lock);
  shared++;
  pthread_rwlock_unlock(&lock);
  return 0;
}
