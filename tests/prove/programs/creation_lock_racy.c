// The lock is released before the second thread has ended.
// VERDICT: pairs
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void* locked(void* arg) {
  pthread_mutex_lock(&lock);
  shared++; // RACE
  pthread_mutex_unlock(&lock);
  return 0;
}
static void* plain(void* arg) {
  shared++; // RACE
  return 0;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, locked, 0);
  pthread_mutex_lock(&lock);
  pthread_create(&two, 0, plain, 0);
  pthread_mutex_unlock(&lock);
  pthread_join(two, 0);
  return 0;
}
