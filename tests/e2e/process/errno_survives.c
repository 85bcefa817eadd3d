// RUN: %e2e %s
// errno survives every check, a report, and a handler that interrupts: only the program itself changes it.
#include "e2e.h"
#include <errno.h>
#include <signal.h>

int shared, flag;
static struct InvisibleGate gate;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void handler(int number) {
  int local = number;
  ESCAPE(&local);
  __atomic_fetch_add(&flag, local, __ATOMIC_SEQ_CST);
}

static void* first(void* unused) {
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  errno = 77;
  shared = 2; // RACE
  require(errno == 77, "errno survives a report");
  __atomic_fetch_add(&flag, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  require(errno == 77, "errno survives synchronisation");
  free(malloc(1 << 20));
  require(errno == 77, "errno survives allocation");
  raise(SIGUSR1);
  require(errno == 77, "errno survives a handler");
  return NULL;
}

int main(void) {
  signal(SIGUSR1, handler);
  run_two(first, second);
}
