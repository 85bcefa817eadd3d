// A function that calls itself creates a thread each time.
// VERDICT: pairs
#include <pthread.h>
static int data;
static void* work(void* p) {
  data++; // RACE
  return 0;
}
static void start(int n) {
  pthread_t t;
  if (n == 0) return;
  pthread_create(&t, 0, work, 0);
  start(n - 1);
  pthread_join(t, 0);
}
int main(void) { start(2); }
