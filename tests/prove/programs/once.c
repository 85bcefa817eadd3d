// What runs once comes before everything that waited for it.
// VERDICT: race-free by global-lock
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table;
static void fill(void) { table = 42; }
static void* use(void* arg) {
  pthread_once(&once, fill);
  return (void*)(long)table;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, use, 0);
  pthread_create(&two, 0, use, 0);
  pthread_once(&once, fill);
  return table;
}
