// A release store that is read by an acquire load orders what came before.
// VERDICT: race-free by escaping
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(int*) mailbox;

static void* worker(void* argument) {
  int* mail = atomic_load_explicit(&mailbox, memory_order_acquire);
  return mail ? (void*)(long)*mail : NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  int* mail = malloc(sizeof(int));
  *mail = 5;
  atomic_store_explicit(&mailbox, mail, memory_order_release);
  return 0;
}
