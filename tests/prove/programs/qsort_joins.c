// A comparison function need not run at all.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static int data;
static pthread_t t;
static void* work(void* p) {
  data++; // RACE
  return 0;
}
static int compare(const void* a, const void* b) {
  pthread_join(t, 0);
  return 0;
}
int main(void) {
  pthread_create(&t, 0, work, 0);
  int one[1] = {1};
  qsort(one, 1, sizeof(int), compare);
  data = 2; // RACE
}
