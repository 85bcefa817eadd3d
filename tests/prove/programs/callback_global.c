// A callback that is kept in a variable.
// VERDICT: pairs
#include <pthread.h>
static int data;
static void (*hook)(int*);
static void on(int* p) { *p = 1; } // RACE
static void set(void (*f)(int*)) { hook = f; }
static void* work(void* p) {
  if (hook) hook(&data);
  return 0;
}
int main(void) {
  pthread_t t;
  set(on);
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
