// An integer that was a pointer points into the variable.
// VERDICT: pairs
#include <pthread.h>
static long cell;
static void* work(void* p) {
  unsigned long address = (unsigned long)p;
  *(char*)(address + 3) = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, &cell);
  cell = 2; // RACE
  pthread_join(t, 0);
}
