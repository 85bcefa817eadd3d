// RUN: %e2e %s
// FLAGS: -I%S/../../.. -flto=thin --lto=link -fuse-ld=lld %S/Inputs/far_thin.c
// Thin link-time optimisation imports small functions of the other file, whose variables then have names that both files know: no proxy for those that are
// `static` there, and no check lost in what was imported.
#include "e2e.h"

void far_set(int n);
int far_get(void);
void far_wait(pthread_mutex_t* lock);
extern int plain, before, after;

#ifdef FAR
static int low, high;
int plain, before, after;

void far_set(int n) {
  low = n;  // RACE(low)
  high = n; // RACE(high)
}
int far_get(void) {
  return low     // RACE(low)
         + high; // RACE(high)
}
void far_wait(pthread_mutex_t* lock) {
  pthread_mutex_lock(lock);
  plain += 1; // NORACE: under the lock
  pthread_mutex_unlock(lock);
}
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int seed = 5;
static struct InvisibleGate gate;

static void* first(void* unused) {
  far_set(seed);
  before = seed; // NORACE: the lock orders it
  far_wait(&lock);
  after = seed; // RACE(after)
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(far_get());
  after = seed; // RACE(after)
  far_wait(&lock);
  before = seed; // NORACE
  return NULL;
}

int main(void) {
  run_two(first, second);
  KEEP(before + after);
}
#endif
