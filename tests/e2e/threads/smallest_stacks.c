// RUN: %e2e %s
// Threads with the smallest stack that POSIX allows begin, use most of it, race at its far end, and call the library.
#include "e2e.h"
#include <limits.h>
#include <string.h>

int shared, own[2];
static struct InvisibleGate gate;
static volatile int used = 7500; // bytes of 16384; a guard page and libc need most of the rest

__attribute__((noinline)) static void far_down(long number) {
  char frame[used];
  ESCAPE(frame);
  memset(frame, (int)number, sizeof frame);
  if (number) invisible_wait(&gate, 1);
  shared++;         // RACE(shared)
  own[number] += 1; // NORACE
  if (!number) invisible_signal(&gate);
}

static void* body(void* number) {
  far_down((long)number);
  free(malloc(100));
  return NULL;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  require(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0, "pthread_attr_setstacksize");
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i)
    require(pthread_create(&threads[i], &attributes, body, (void*)i) == 0, "pthread_create");
  for (int i = 0; i < 2; ++i) join(threads[i]);
  size_t size;
  pthread_attr_getstacksize(&attributes, &size);
  require(size == (size_t)PTHREAD_STACK_MIN, "the program's attributes are as they were");
  pthread_attr_destroy(&attributes);
}
