// Neighbouring bit fields are one location.
// VERDICT: pairs
#include <pthread.h>
static struct {
  unsigned a : 3, b : 5;
} bits;
static void* work(void* p) {
  bits.a = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  bits.b = 2; // RACE
  pthread_join(t, 0);
}
