// RUN: %e2e %s
// A thread cancelled inside pthread_cond_wait holds the mutex again in its cleanup handler: what it does is
// ordered.
#include "e2e.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int data, waiting;

static void cleanup(void* unused) {
  data += 1; // NORACE
  pthread_mutex_unlock(&mutex);
}

static void* waiter(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(cleanup, NULL);
  waiting = 1; // NORACE
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(1);
  return NULL;
}

int main(void) {
  pthread_t thread = start(waiter, NULL);
  for (int seen = 0; !seen; sched_yield()) {
    pthread_mutex_lock(&mutex);
    seen = waiting; // NORACE
    data = 1;       // NORACE
    pthread_mutex_unlock(&mutex);
  }
  pthread_cancel(thread);
  pthread_mutex_lock(&mutex);
  KEEP(data); // NORACE
  pthread_mutex_unlock(&mutex);
  void* result;
  pthread_join(thread, &result);
  require(result == PTHREAD_CANCELED, "it was cancelled");
  require(data == 2, "the handler ran once"); // NORACE
}
