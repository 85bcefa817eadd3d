// Handlers that run when the thread is cancelled.
// VERDICT: pairs
#include <pthread.h>
#include <unistd.h>
static int data;
static void cleanup(void* p) { *(int*)p = 1; } // RACE
static void* work(void* p) {
  pthread_cleanup_push(cleanup, &data);
  sleep(1);
  pthread_cleanup_pop(0);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_cancel(t);
  data = 2; // RACE
  pthread_join(t, 0);
}
