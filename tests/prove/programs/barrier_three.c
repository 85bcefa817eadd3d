// More threads than the barrier is for.
// VERDICT: pairs
#include <pthread.h>
static int data;
static pthread_barrier_t b;
static void* work(void* p) {
  pthread_barrier_wait(&b);
  data = 1; // RACE
  return 0;
}
static void* other(void* p) {
  pthread_barrier_wait(&b);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_barrier_init(&b, 0, 2);
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, other, 0);
  data = 2; // RACE
  pthread_barrier_wait(&b);
}
