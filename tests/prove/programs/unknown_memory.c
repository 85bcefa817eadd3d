// Unknown code may hand out the same memory twice.
// VERDICT: pairs
#include <pthread.h>

int* unknown_cell(void);

static void* worker(void* argument) {
  *unknown_cell() = 1; // RACE
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  *unknown_cell() = 2; // RACE
  return 0;
}
