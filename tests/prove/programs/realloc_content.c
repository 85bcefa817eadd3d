// What was in the memory before it grew is still there.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static int data;
static int** slots;
static void* work(void* p) {
  int** mine = p;
  *mine[1] = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  slots = malloc(16);
  slots[1] = &data;
  slots = realloc(slots, 32);
  pthread_create(&t, 0, work, slots);
  data = 2; // RACE
  pthread_join(t, 0);
}
