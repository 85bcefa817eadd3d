// RUN: %e2e %s
// A handler that leaves with siglongjmp, out of a loop of checked accesses: the program goes on being
// checked.
#include "e2e.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf target;
volatile long spins;
int shared;
static struct InvisibleGate gate, running;

static void handler(int number) { siglongjmp(target, 1); }

static void* spinner(void* unused) {
  for (volatile int i = 0; i < 50; i = i + 1) {
    if (sigsetjmp(target, 1) == 0) {
      invisible_signal(&running);
      for (;;) spins = spins + 1; // NORACE
    }
  }
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  signal(SIGUSR1, handler);
  pthread_t thread = start(spinner, NULL);
  for (int i = 0; i < 50; ++i) {
    invisible_wait(&running, i + 1);
    pthread_kill(thread, SIGUSR1);
  }
  invisible_wait(&gate, 1);
  shared = 2; // RACE
  join(thread);
}
