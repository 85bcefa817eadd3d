// Each element is given to two threads, because all of them are started twice.
// VERDICT: pairs
#include <pthread.h>
static int parts[4];
static void* work(void* arg) {
  int* part = arg;
  *part += 1; // RACE
  return 0;
}
static void start(void) {
  pthread_t thread;
  for (int i = 0; i < 4; i++) pthread_create(&thread, 0, work, &parts[i]);
}
int main(void) {
  for (int i = 0; i < 2; i++) start();
  return 0;
}
