// An exception leaves the function before it has waited.
// VERDICT: pairs
#include <pthread.h>
#include <semaphore.h>
static int data;
static sem_t s;
static void* work(void*) {
  data = 1; // RACE
  sem_post(&s);
  return 0;
}
static void may_throw(int n) {
  if (n > 1) throw n;
}
static void run(int n) {
  may_throw(n);
  sem_wait(&s);
}
int main(int n, char**) {
  pthread_t t;
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, work, 0);
  try {
    run(n);
  } catch (int) {
  }
  data = 2; // RACE
}
