// Rounds of a loop: what is written in one phase is read in the next.
// VERDICT: race-free by ordering
#include <pthread.h>
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void* work(void* arg) {
  int sum = 0;
  for (int round = 0; round < 10; round++) {
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&barrier);
    sum += total;
    pthread_barrier_wait(&barrier);
  }
  return (void*)(long)sum;
}
int main(void) {
  pthread_t threads[4];
  pthread_barrier_init(&barrier, 0, 4);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  return 0;
}
