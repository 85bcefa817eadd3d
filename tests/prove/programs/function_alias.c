// Another name of a function.
// VERDICT: pairs
#include <pthread.h>
static int data;
void impl(void) { data = 1; } // RACE
void chosen(void) __attribute__((alias("impl")));
static void* work(void* p) {
  chosen();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
