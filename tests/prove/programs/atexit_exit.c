// Any thread may end the program.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static int data;
static void bye(void) { data = 5; } // RACE
static void* work(void* p) { exit(0); }
int main(void) {
  pthread_t t;
  atexit(bye);
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
