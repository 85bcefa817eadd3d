// Memory that only a number names.
// VERDICT: unknown
#include <pthread.h>
static void* work(void* p) {
  *(volatile int*)0x10000 = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  *(volatile int*)0x10000 = 2;
  pthread_join(t, 0);
}
