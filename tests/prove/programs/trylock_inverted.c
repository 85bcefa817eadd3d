// The branch in which the lock was not taken.
// VERDICT: pairs
#include <pthread.h>
static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* p) {
  if (pthread_mutex_trylock(&m)) {
    data++; // RACE
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  data = 2; // RACE
  pthread_mutex_unlock(&m);
}
