// A semaphore that begins with zero.
// VERDICT: race-free by ordering
#include <pthread.h>
#include <semaphore.h>
static sem_t ready;
static int data;
static void* produce(void* arg) {
  data = 42;
  sem_post(&ready);
  return 0;
}
int main(void) {
  pthread_t one;
  sem_init(&ready, 0, 0);
  pthread_create(&one, 0, produce, 0);
  sem_wait(&ready);
  return data;
}
