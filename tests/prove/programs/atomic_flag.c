// An atomic flag orders what comes before the store and after a load that saw it.
// VERDICT: race-free by ordering
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready;
static int data;
static void* produce(void* arg) {
  data = 42;
  atomic_store_explicit(&ready, 1, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, produce, 0);
  while (!atomic_load_explicit(&ready, memory_order_acquire)) {
  }
  return data;
}
