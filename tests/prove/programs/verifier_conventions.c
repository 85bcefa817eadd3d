// The conventions of the verification community: an atomic section is one global lock.
// VERDICT: race-free by global-lock
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);
int shared;

void __VERIFIER_atomic_add(int amount) { shared += amount; }

static void* worker(void* argument) {
  __VERIFIER_atomic_add(__VERIFIER_nondet_int());
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  __VERIFIER_atomic_begin();
  shared++;
  __VERIFIER_atomic_end();
  return 0;
}
