// RUN: %e2e %s
// A parent with running threads forks; the child creates threads of its own, without deadlock, and is
// checked.
// EXIT: 0
// RUNS: 3
#include "e2e.h"
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int shared, ordered, stop;
static struct InvisibleGate gate;

static void* busy(void* unused) {
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    __atomic_fetch_add(&ordered, 1, __ATOMIC_ACQ_REL);
    free(malloc(64));
  }
  return NULL;
}

static void* body(void* argument) {
  long me = (long)argument;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  invisible_wait(&gate, (int)me);
  shared = (int)me; // RACE
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  pthread_t threads[2] = {start(busy, NULL), start(busy, NULL)};
  pid_t child = fork();
  if (child == 0) {
    run_many(2, body);
    return 0;
  }
  int status;
  waitpid(child, &status, 0);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 66, "the child ends with code 66");
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  join(threads[0]);
  join(threads[1]);
  return 0;
}
