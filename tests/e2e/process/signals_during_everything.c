// RUN: %e2e %s
// A timer signal that interrupts locks, atomics, allocation and plain accesses: no deadlock, no report, no
// corruption.
#include "e2e.h"
#include <signal.h>
#include <sys/time.h>

int ticks, stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
long counter;

static void on_alarm(int signal_number, siginfo_t* info, void* context) {
  int local[8];
  ESCAPE(local);
  for (int i = 0; i < 8; ++i) local[i] = info->si_signo; // NORACE
  if (__atomic_add_fetch(&ticks, 1, __ATOMIC_ACQ_REL) >= 100) __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
}

static void* busy(void* unused) {
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&mutex);
    ++counter; // NORACE
    pthread_mutex_unlock(&mutex);
    long* block = (long*)calloc(10, 8);
    block[3] = 1; // NORACE
    ESCAPE(block);
    free(block);
  }
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
  action.sa_sigaction = on_alarm;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);
  run_two(busy, busy);
  timer = (struct itimerval){{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &timer, NULL);
}
