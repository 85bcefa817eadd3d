// Two controls: the function runs twice. And a read that did not wait.
// VERDICT: pairs
#include <pthread.h>
static pthread_once_t first = PTHREAD_ONCE_INIT, second = PTHREAD_ONCE_INIT;
static int table;
static void fill(void) {
  table = 42; // RACE
}
static void* use(void* arg) {
  pthread_once(&first, fill);
  return 0;
}
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, use, 0);
  pthread_once(&second, fill);
  return 0;
}
