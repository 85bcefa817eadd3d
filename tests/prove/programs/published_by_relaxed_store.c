// A relaxed store makes the memory known, but what came before is not ordered with what its readers do.
// VERDICT: pairs
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(int*) mailbox;

static void* worker(void* argument) {
  int* mail = atomic_load_explicit(&mailbox, memory_order_relaxed);
  return mail ? (void*)(long)*mail : NULL; // RACE
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  int* mail = malloc(sizeof(int)); // RACE
  *mail = 5;                       // RACE
  atomic_store_explicit(&mailbox, mail, memory_order_relaxed);
  return 0;
}
