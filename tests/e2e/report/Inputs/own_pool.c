// Two workers that take turns by an atomic of their own. Compiled without instrumentation.
#include <pthread.h>

static int turn;
static void (*work)(int);

__attribute__((noinline)) void own_pool_work(int me) {
  while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != me) {
  }
  work(me);
  __atomic_store_n(&turn, me + 1, __ATOMIC_RELEASE);
}

static void* worker(void* number) {
  own_pool_work((int)(long)number);
  return 0;
}

void run_in_own_pool(void (*function)(int)) {
  pthread_t threads[2];
  work = function;
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, worker, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}
