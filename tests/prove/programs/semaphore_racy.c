// A semaphore that begins with one: the wait need not be for the post.
// VERDICT: pairs
#include <pthread.h>
#include <semaphore.h>
static sem_t ready;
static int data;
static void* produce(void* arg) {
  data = 42; // RACE
  sem_post(&ready);
  return 0;
}
int main(void) {
  pthread_t one;
  sem_init(&ready, 0, 1);
  pthread_create(&one, 0, produce, 0);
  sem_wait(&ready);
  return data; // RACE
}
