// Which of two locks is released is not known.
// VERDICT: pairs
#include <pthread.h>
static int data;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* p) {
  pthread_mutex_t* which = p ? &a : &b;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(which);
  data++; // RACE
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, &data);
  pthread_mutex_lock(&a);
  data = 2; // RACE
  pthread_mutex_unlock(&a);
}
