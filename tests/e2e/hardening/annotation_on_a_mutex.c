// RUN: %e2e %s
// What __tsan_release says about an address stays said when a mutex or an atomic there is used.
#include "e2e.h"
#include <sanitizer/tsan_interface.h>

int under_mutex, under_atomic;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int word;
static struct InvisibleGate released, overwritten;

static void* releaser(void* unused) {
  under_mutex = 1;  // NORACE
  under_atomic = 1; // NORACE
  __tsan_release(&mutex);
  __tsan_release(&word);
  invisible_signal(&released);
  return NULL;
}
static void* overwriter(void* unused) {
  invisible_wait(&released, 1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
  invisible_signal(&overwritten);
  return NULL;
}
static void* acquirer(void* unused) {
  invisible_wait(&overwritten, 1);
  __tsan_acquire(&mutex);
  KEEP(under_mutex); // NORACE
  __tsan_acquire(&word);
  KEEP(under_atomic); // NORACE
  return NULL;
}

int main(void) { run_three(releaser, overwriter, acquirer); }
