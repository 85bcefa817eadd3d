// Memory that the program manages itself.
// VERDICT: pairs
#include <pthread.h>
static char pool[1024];
static unsigned used;
static void* take(unsigned n) {
  void* p = &pool[used];
  used += n;
  return p;
}
static int* data;
static void* work(void* p) {
  *data = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  take(8);
  data = take(8);
  pthread_create(&t, 0, work, 0);
  *(int*)(pool + 8) = 2; // RACE
  pthread_join(t, 0);
}
