// A pointer may be taken apart and put together again.
// VERDICT: pairs
#include <pthread.h>
static int data;
static unsigned halves[2];
static void* work(void* p) {
  int* q = (int*)(((unsigned long)halves[1] << 32) | halves[0]);
  *q = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  unsigned long a = (unsigned long)&data;
  halves[0] = (unsigned)a;
  halves[1] = (unsigned)(a >> 32);
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
