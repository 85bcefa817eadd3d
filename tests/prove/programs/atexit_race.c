// What runs at the end of the program runs while threads are still running.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static int data;
static void* work(void* p) {
  data++; // RACE
  return 0;
}
static void bye(void) { data = 5; } // RACE
int main(void) {
  pthread_t t;
  atexit(bye);
  pthread_create(&t, 0, work, 0);
  return 0;
}
