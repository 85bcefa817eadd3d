// A function that calls itself releases the lock.
// VERDICT: pairs
#include <pthread.h>
static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void down(int n) {
  if (n == 0) {
    pthread_mutex_unlock(&m);
    return;
  }
  down(n - 1);
}
static void* work(void* p) {
  pthread_mutex_lock(&m);
  down(3);
  data++; // RACE
  return 0;
}
int main(int n, char** v) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  data = 2; // RACE
  pthread_mutex_unlock(&m);
}
