// A comparison function releases the lock of its caller: the next one runs without it.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int compare(const void* a, const void* b) {
  data++; // RACE
  pthread_mutex_unlock(&m);
  return 0;
}
static void* work(void* p) {
  int three[3] = {1, 2, 3};
  pthread_mutex_lock(&m);
  qsort(three, 3, sizeof(int), compare);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  data = 2; // RACE
  pthread_mutex_unlock(&m);
}
