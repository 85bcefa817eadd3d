// A handle that a thread made itself.
// VERDICT: pairs
#include <pthread.h>
static int data;
static pthread_t shown;
static void* work(void* p) {
  data = 1; // RACE
  return 0;
}
static void* other(void* p) {
  shown = pthread_self();
  return 0;
}
int main(int n, char** v) {
  pthread_t t, u;
  pthread_create(&u, 0, other, 0);
  pthread_join(u, 0);
  pthread_create(&t, 0, work, 0);
  if (n > 1) shown = t;
  pthread_join(shown, 0);
  data = 2; // RACE
}
