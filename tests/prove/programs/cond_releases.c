// A wait with another mutex.
// VERDICT: pairs
#include <pthread.h>
static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void* work(void* p) {
  pthread_mutex_lock(&other);
  data = 1; // RACE
  pthread_cond_wait(&c, &other);
  pthread_mutex_unlock(&other);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  data = 2; // RACE
  pthread_mutex_unlock(&m);
}
