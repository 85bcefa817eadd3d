// Part of an atomic variable is read without atomics.
// VERDICT: pairs
#include <pthread.h>
#include <stdatomic.h>
static union {
  _Atomic long whole;
  short parts[4];
} u;
static void* work(void* p) {
  u.whole = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  int x = u.parts[3]; // RACE
  pthread_join(t, 0);
  return x;
}
