// Neighbours of a thread's element are elements of other threads.
// VERDICT: pairs
#include <pthread.h>
static int data[8];
static void* work(void* p) {
  long n = (long)p;
  data[n]++;     // RACE
  data[n + 1]++; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  for (long i = 0; i < 4; i++) pthread_create(&t, 0, work, (void*)i);
}
