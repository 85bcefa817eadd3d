// Which of two locks is taken is not known.
// VERDICT: pairs
#include <pthread.h>
static int data;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* p) {
  pthread_mutex_t* m = p ? &a : &b;
  pthread_mutex_lock(m);
  data++; // RACE
  pthread_mutex_unlock(m);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, &data);
}
