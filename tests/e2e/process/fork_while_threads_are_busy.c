// RUN: %e2e %s
// Many forks while other threads lock, allocate and use atomics: no child hangs, all can allocate and lock.
#include "e2e.h"
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t busy_mutex = PTHREAD_MUTEX_INITIALIZER, own_mutex = PTHREAD_MUTEX_INITIALIZER;
int stop, atomic_counter;
long counter;

static void* busy(void* unused) {
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&busy_mutex);
    ++counter; // NORACE
    pthread_mutex_unlock(&busy_mutex);
    __atomic_fetch_add(&atomic_counter, 1, __ATOMIC_ACQ_REL);
    char* block = (char*)malloc(300);
    block[299] = 1; // NORACE
    ESCAPE(block);
    free(block);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(busy, NULL);
  for (int i = 0; i < 30; ++i) {
    pid_t child = fork();
    if (child == 0) {
      pthread_mutex_lock(&own_mutex);
      free(malloc(1000));
      __atomic_fetch_add(&atomic_counter, 1, __ATOMIC_SEQ_CST);
      pthread_mutex_unlock(&own_mutex);
      _exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 3, "the child ends by itself");
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 3; ++i) join(threads[i]);
}
