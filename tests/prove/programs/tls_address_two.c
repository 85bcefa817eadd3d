// Threads show each other their thread-local variables.
// VERDICT: pairs
#include <pthread.h>
static __thread int mine;
static int* shown;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* p) {
  pthread_mutex_lock(&m);
  int* other = shown;
  shown = &mine;
  pthread_mutex_unlock(&m);
  mine = 4;              // RACE
  if (other) *other = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
