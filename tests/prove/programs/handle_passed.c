// A handle is joined wherever it went.
// VERDICT: race-free by may-happen-in-parallel
#include <pthread.h>
static int data;
static void* work(void* p) {
  data = 1;
  return 0;
}
struct handles {
  pthread_t t[2];
};
static void stop(pthread_t t) { pthread_join(t, 0); }
int main(void) {
  struct handles h;
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  h.t[1] = t;
  stop(h.t[1]);
  data = 2;
}
