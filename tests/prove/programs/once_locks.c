// What runs once takes a lock for one thread only.
// VERDICT: pairs
#include <pthread.h>
static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void init(void) { pthread_mutex_lock(&m); }
static void* work(void* p) {
  pthread_once(&once, init);
  data++; // RACE
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
}
