// Who joins a thread does not join the threads that it created.
// VERDICT: pairs
#include <pthread.h>
static int data;
static void* grandchild(void* p) {
  data++; // RACE
  return 0;
}
static void* work(void* p) {
  pthread_t t;
  pthread_create(&t, 0, grandchild, 0);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  data = 2; // RACE
}
