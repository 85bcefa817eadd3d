// RUN: %e2e %s
// The report names the threads (set by themselves, and by their creator) and shows where they were created.
// EXPECT-TEXT: first-name
// EXPECT-TEXT: second-name
// EXPECT-TEXT: created
// EXPECT-TEXT: make_threads
#include "e2e.h"

int shared;
static struct InvisibleGate gate;

static void* first(void* unused) {
  pthread_setname_np(pthread_self(), "first-name");
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 2);
  shared = 2; // RACE
  return NULL;
}

__attribute__((noinline)) static void make_threads(void) {
  pthread_t a = start(first, NULL), b = start(second, NULL);
  pthread_setname_np(b, "second-name");
  invisible_signal(&gate);
  join(a);
  join(b);
}

int main(void) {
  make_threads();
  return 0;
}
