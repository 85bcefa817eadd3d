// RUN: %e2e %s
// A writer is ordered after every reader that left before it; a later reader after the writer.
#include "e2e.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int read_first, written;
static struct InvisibleGate gate;

static void* reader(void* unused) {
  pthread_rwlock_rdlock(&lock);
  KEEP(read_first); // NORACE
  pthread_rwlock_unlock(&lock);
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 5);
  pthread_rwlock_wrlock(&lock);
  read_first = 1; // NORACE
  written = 1;    // NORACE
  pthread_rwlock_unlock(&lock);
  invisible_signal(&gate);
  invisible_wait(&gate, 7);
  return NULL;
}

static void* late_reader(void* unused) {
  invisible_wait(&gate, 6);
  pthread_rwlock_rdlock(&lock);
  KEEP(written); // NORACE
  pthread_rwlock_unlock(&lock);
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  pthread_t a = start(writer, NULL), b = start(late_reader, NULL);
  run_many(5, reader);
  join(a);
  join(b);
}
