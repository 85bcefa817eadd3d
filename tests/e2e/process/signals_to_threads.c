// RUN: %e2e %s
// pthread_kill to threads on an alternate signal stack while they synchronise: handlers run, nothing hangs.
#include "e2e.h"
#include <signal.h>

int handled, stop, counter;

static void handler(int number) { __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED); }

static void* busy(void* unused) {
  stack_t alternate = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  require(sigaltstack(&alternate, NULL) == 0, "sigaltstack");
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  stack_t off = {.ss_flags = SS_DISABLE};
  sigaltstack(&off, NULL);
  free(alternate.ss_sp);
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_flags = SA_ONSTACK | SA_RESTART};
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, NULL);
  pthread_t threads[2] = {start(busy, NULL), start(busy, NULL)};
  for (int i = 0; i < 30; ++i) {
    int before = __atomic_load_n(&handled, __ATOMIC_RELAXED);
    pthread_kill(threads[i % 2], SIGUSR1);
    while (__atomic_load_n(&handled, __ATOMIC_RELAXED) == before) sched_yield();
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  join(threads[0]);
  join(threads[1]);
}
