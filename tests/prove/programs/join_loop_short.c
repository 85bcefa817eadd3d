// One thread fewer is joined.
// VERDICT: pairs
#include <pthread.h>
static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* p) {
  pthread_mutex_lock(&m);
  data++; // RACE
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  data = 2; // RACE
}
