// A pointer is handed over without order.
// VERDICT: pairs
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int*) slot;
static void* work(void* p) {
  int* mine = malloc(4); // IMPRECISE
  *mine = 0;             // RACE
  int* old = atomic_exchange_explicit(&slot, mine, memory_order_relaxed);
  if (old) *old = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
}
