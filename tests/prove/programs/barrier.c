// Phases: all threads write their part, wait, and read each other's.
// VERDICT: race-free by ordering
#include <pthread.h>
static pthread_barrier_t barrier;
static int left, right;
static void* one(void* arg) {
  left = 1;
  pthread_barrier_wait(&barrier);
  return (void*)(long)right;
}
static void* two(void* arg) {
  right = 2;
  pthread_barrier_wait(&barrier);
  return (void*)(long)left;
}
int main(void) {
  pthread_t first, second;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&first, 0, one, 0);
  pthread_create(&second, 0, two, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  return 0;
}
