// Three threads wait at a barrier for two: a round may end without the one that writes.
// VERDICT: pairs
#include <pthread.h>
static pthread_barrier_t barrier;
static int left;
static void* one(void* arg) {
  left = 1; // RACE
  pthread_barrier_wait(&barrier);
  return 0;
}
static void* two(void* arg) {
  pthread_barrier_wait(&barrier);
  return (void*)(long)left; // RACE
}
int main(void) {
  pthread_t first, second, third;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&first, 0, one, 0);
  pthread_create(&second, 0, two, 0);
  pthread_create(&third, 0, two, 0);
  return 0;
}
