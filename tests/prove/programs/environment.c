// The environment is read while it is changed.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static void* work(void* p) {
  setenv("A", "b", 1); // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  char* v = getenv("A"); // RACE
  pthread_join(t, 0);
  return v != 0;
}
