// The flag is set twice.
// VERDICT: pairs
#include <pthread.h>
#include <stdatomic.h>
static int data;
static _Atomic int ready;
static void* work(void* p) {
  ready = 1;
  data = 1; // RACE
  ready = 2;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  while (!ready);
  return data; // RACE
}
