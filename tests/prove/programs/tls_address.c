// A thread-local variable of one thread is given to another.
// VERDICT: pairs
#include <pthread.h>
static __thread int mine;
static int* volatile shown;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* p) {
  int* other = p;
  *other = 1; // RACE
  mine = 3;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, &mine);
  mine = 2; // RACE
  pthread_join(t, 0);
}
