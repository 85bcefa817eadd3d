// RUN: %e2e %s
// Threads that get the stack of an ended, unordered thread write locals whose addresses escaped: no false
// alarm.
#include "e2e.h"

enum { count = 100 };
int* published;
static struct InvisibleGate ended;

static void* body(void* unused) {
  int locals[32];
  ESCAPE(locals);
  __atomic_store_n(&published, &locals[0], __ATOMIC_RELAXED);
  for (int i = 0; i < 32; ++i) locals[i] = i; // NORACE
  invisible_signal(&ended);
  return NULL;
}

int main(void) {
  for (int i = 0; i < count; ++i) {
    pthread_detach(start(body, NULL)); // detached: the next thread is not ordered after this one
    invisible_wait(&ended, i + 1);
  }
}
