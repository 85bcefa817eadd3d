// What a vector of buffers points to is read.
// VERDICT: pairs
#include <pthread.h>
#include <sys/uio.h>
static char buffer[8];
static void* work(void* p) {
  struct iovec v = {buffer, 8};
  writev(0, &v, 1); // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  buffer[0] = 2; // RACE
  pthread_join(t, 0);
}
