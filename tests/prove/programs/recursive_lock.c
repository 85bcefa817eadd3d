// After the last unlock of a recursive lock.
// VERDICT: pairs
#define _GNU_SOURCE
#include <pthread.h>
static int data;
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void work_rec(int n) {
  pthread_mutex_lock(&m);
  if (n) work_rec(n - 1);
  pthread_mutex_unlock(&m);
  if (!n) return;
  data++; // RACE
}
static void* work(void* p) {
  work_rec(2);
  data = 4; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  data = 2; // RACE
  pthread_mutex_unlock(&m);
}
