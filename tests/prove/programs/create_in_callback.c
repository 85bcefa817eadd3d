// A comparison function that creates a thread runs more than once.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static int data;
static void* work(void* p) {
  data++; // RACE
  return 0;
}
static int compare(const void* a, const void* b) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  return *(const int*)a - *(const int*)b;
}
int main(void) {
  int numbers[3] = {3, 2, 1};
  qsort(numbers, 3, sizeof(int), compare);
}
