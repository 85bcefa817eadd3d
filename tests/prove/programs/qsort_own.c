// Each thread sorts an array of its own.
// VERDICT: race-free by escaping
#include <pthread.h>
#include <stdlib.h>
static int low[4], high[4];
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static void* sort_low(void* arg) {
  qsort(low, 4, sizeof low[0], compare);
  return 0;
}
static void* sort_high(void* arg) {
  qsort(high, 4, sizeof high[0], compare);
  return 0;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, sort_low, 0);
  pthread_create(&two, 0, sort_high, 0);
  return 0;
}
