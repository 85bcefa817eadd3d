// RUN: %e2e %s
// A lock that its thread takes again and again, and at last another thread: ordered up to the last release, with all that its
// thread had learned elsewhere in between, and no further.
#include "e2e.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static struct InvisibleGate gate;
int taught, inside, after;

static void* teacher(void* unused) {
  pthread_mutex_lock(&other);
  taught = 1; // NORACE
  pthread_mutex_unlock(&other);
  invisible_signal(&gate);
  return NULL;
}

static void* first(void* unused) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&mutex);
    inside += i; // NORACE
    pthread_mutex_unlock(&mutex);
    if (i != 50) continue;
    invisible_wait(&gate, 1);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
  }
  after = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 2);
  pthread_mutex_lock(&mutex);
  KEEP(taught); // NORACE
  KEEP(inside); // NORACE
  KEEP(after);  // RACE
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) { run_three(teacher, first, second); }
