// An exception leaves the function before the thread is joined.
// VERDICT: pairs
#include <pthread.h>
static int data;
static void* work(void*) {
  data = 1; // RACE
  return 0;
}
static void may_throw(int n) {
  if (n > 1) throw n;
}
static void run(int n) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  may_throw(n);
  pthread_join(t, 0);
}
int main(int n, char**) {
  try {
    run(n);
  } catch (int) {
    data = 2; // RACE
  }
}
