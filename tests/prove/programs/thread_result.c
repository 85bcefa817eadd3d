// What a thread returns.
// VERDICT: pairs
#include <pthread.h>
static int data;
static void* work(void* p) { return &data; }
static void* other(void* p) {
  data = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t, u;
  void* result;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, other, 0);
  pthread_join(t, &result);
  *(int*)result = 2; // RACE
}
