// Atomics that are too large for one instruction are library calls.
// VERDICT: race-free by escaping
#include <pthread.h>
struct Triple {
  long a, b, c;
};
static _Atomic struct Triple shared;
static void* write_it(void* arg) {
  struct Triple value = {1, 2, 3};
  shared = value;
  return 0;
}
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, write_it, 0);
  struct Triple seen = shared;
  return (int)seen.a;
}
