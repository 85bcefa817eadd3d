// Bits that are not needed for the address are masked out.
// VERDICT: pairs
#include <pthread.h>
static int data;
static unsigned long tagged;
static void* work(void* p) {
  *(int*)(tagged & ~7ul) = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  tagged = (unsigned long)&data | 1;
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
