// One write comes after the flag, the other before; and one reader looks without waiting.
// VERDICT: pairs
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready, relaxed;
static int data, more, late;
static void* produce(void* arg) {
  data = 42;
  more = 43; // RACE
  atomic_store_explicit(&ready, 1, memory_order_release);
  atomic_store_explicit(&relaxed, 1, memory_order_relaxed);
  late = 44; // RACE
  return 0;
}
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, produce, 0);
  while (!atomic_load_explicit(&relaxed, memory_order_relaxed)) {
  }
  int sum = more; // RACE
  while (!atomic_load_explicit(&ready, memory_order_acquire)) {
  }
  sum += late; // RACE
  return sum + data;
}
