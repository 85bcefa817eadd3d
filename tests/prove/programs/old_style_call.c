// A pointer is passed as an integer through a pointer to a function.
// VERDICT: pairs
#include <pthread.h>
static int data;
static void on(int* p) { *p = 1; } // RACE
static void (*hook)() = (void (*)())on;
static void* work(void* p) {
  ((void (*)(long))hook)((long)&data);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
