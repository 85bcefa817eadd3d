// What is freed is found by clearing low bits of an address inside.
// VERDICT: pairs
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
static char* block;
static void* work(void* unused) {
  free((void*)((uintptr_t)block & ~(uintptr_t)4095)); // RACE
  return unused;
}
int main(void) {
  pthread_t thread;
  char* page = aligned_alloc(4096, 4096);
  block = &page[96];
  pthread_create(&thread, 0, work, 0);
  page[0] = 1; // RACE
  pthread_join(thread, 0);
  return 0;
}
