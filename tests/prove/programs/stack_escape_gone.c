// Threads show each other their local variables.
// VERDICT: pairs
#include <pthread.h>
static int* shown;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* p) {
  int local = 0;
  pthread_mutex_lock(&m);
  int* other = shown;
  shown = &local;
  pthread_mutex_unlock(&m);
  if (other) (*other)++; // RACE
  local++;               // RACE
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
