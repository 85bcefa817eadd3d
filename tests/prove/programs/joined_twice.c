// The same thread is joined twice, the other one never.
// VERDICT: pairs
#include <pthread.h>
static int data;
static void* work(void* p) {
  data++; // RACE
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
  pthread_join(t, 0);
  pthread_join(t, 0);
  data = 2; // RACE
}
