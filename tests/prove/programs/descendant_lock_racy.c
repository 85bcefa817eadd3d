// main has let go of the lock in between, so the thread may be first.
// VERDICT: pairs
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void* later(void* arg) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  shared++; // RACE
  return 0;
}
int main(void) {
  pthread_t one;
  pthread_mutex_lock(&lock);
  pthread_create(&one, 0, later, 0);
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  shared++; // RACE
  pthread_mutex_unlock(&lock);
  return 0;
}
