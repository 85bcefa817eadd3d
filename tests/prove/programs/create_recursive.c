// A thread creates threads of its own kind.
// VERDICT: pairs
#include <pthread.h>
static int data;
static void* work(void* p) {
  long n = (long)p;
  pthread_t t;
  if (n > 0) pthread_create(&t, 0, work, (void*)(n - 1));
  data = (int)n; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, (void*)3);
  pthread_join(t, 0);
}
