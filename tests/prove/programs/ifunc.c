// Which function the linker chooses is not known.
// VERDICT: unknown
#include <pthread.h>
static int data;
static void impl(void) { data = 1; }
static void* resolve(void) { return (void*)impl; }
void chosen(void) __attribute__((ifunc("resolve")));
static void* work(void* p) {
  chosen();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  data = 2;
  pthread_join(t, 0);
}
