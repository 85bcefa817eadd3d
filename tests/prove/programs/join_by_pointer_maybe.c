// The function that is called may join, or not.
// VERDICT: pairs
#include <pthread.h>
static int data;
static int no_join(pthread_t t, void** r) { return 0; }
static int (*wait_for)(pthread_t, void**) = pthread_join;
static void* work(void* p) {
  data++; // RACE
  return 0;
}
int main(int n, char** v) {
  pthread_t t;
  if (n > 1) wait_for = no_join;
  pthread_create(&t, 0, work, 0);
  wait_for(t, 0);
  data = 2; // RACE
}
