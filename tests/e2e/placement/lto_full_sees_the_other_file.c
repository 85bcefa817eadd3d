// RUN: %e2e %s
// FLAGS: -I%S/../../.. -flto=full --lto=link -fuse-ld=lld %S/Inputs/far_full.c
// With the checks placed in the link step, a function of the other file is what it does: it keeps the span, or ends it. What the link step makes internal may have
// a proxy. The races are the same as without.
#include "e2e.h"

extern volatile int kept; // both of its writes stay
extern int checked_again, in_far, pair_a, pair_b;
extern long table[32];
void far_without_effect(int n);
void far_releases(pthread_mutex_t* lock);
long far_sum(void);
void far_put(int n);

#ifdef FAR
volatile int kept;
int checked_again, in_far, pair_a, pair_b;
long table[32];

__attribute__((noinline)) void far_without_effect(int n) {
  in_far = n; // RACE(in_far)
}
__attribute__((noinline)) void far_releases(pthread_mutex_t* lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
}
__attribute__((noinline)) long far_sum(void) {
  long sum = 0;
  for (int i = 0; i < 32; ++i) sum += table[i]; // RACE(table)
  return sum;
}
__attribute__((noinline)) void far_put(int n) {
  pair_a = n; // RACE(a)
  pair_b = n; // RACE(b)
}
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int seed = 5;
static struct InvisibleGate gate;

static void* first(void* unused) {
  kept = seed; // RACE(kept)
  far_without_effect(seed);
  kept = seed + 1; // NORACE: in the span of the first
  checked_again = seed;
  far_releases(&lock);
  checked_again = seed;                             // RACE(again)
  for (int i = 0; i < 32; ++i) table[i] = seed + i; // RACE(table)
  far_put(seed);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  kept = seed;          // RACE(kept)
  checked_again = seed; // RACE(again)
  far_without_effect(seed);
  KEEP(far_sum());
  far_put(seed + 1);
  return NULL;
}

int main(void) {
  run_two(first, second);
  KEEP(kept + checked_again + in_far);
  KEEP(pair_a + pair_b);
}
#endif
