// The comparison runs in the thread that sorts.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static int comparisons, values[4];
static int compare(const void* a, const void* b) {
  comparisons++;                          // RACE
  return *(const int*)a - *(const int*)b; // RACE
}
static void* sort(void* arg) {
  qsort(values, 4, sizeof values[0], compare); // RACE
  return 0;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, sort, 0);
  pthread_create(&two, 0, sort, 0);
  return 0;
}
