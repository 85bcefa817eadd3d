// The function that is called may lock, or not.
// VERDICT: pairs
#include <pthread.h>
static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int no_lock(pthread_mutex_t* x) { return 0; }
static int (*take)(pthread_mutex_t*) = pthread_mutex_lock;
static void* work(void* p) {
  take(&m);
  data++; // RACE
  return 0;
}
int main(int n, char** v) {
  pthread_t t;
  if (n > 1) take = no_lock;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  data = 2; // RACE
  pthread_mutex_unlock(&m);
}
