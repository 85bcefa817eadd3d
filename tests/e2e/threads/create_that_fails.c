// RUN: %e2e %s
// A pthread_create that fails reports its error and leaves nothing behind; the next one works and is ordered.
#include "e2e.h"

int data;

static void* body(void* unused) {
  ++data; // NORACE
  return NULL;
}

int main(void) {
  pthread_attr_t impossible;
  pthread_attr_init(&impossible);
  pthread_attr_setstacksize(&impossible, 1ul << 50);
  for (int i = 0; i < 100; ++i) {
    pthread_t thread;
    require(pthread_create(&thread, &impossible, body, NULL) != 0, "the stack is too large");
  }
  ++data; // NORACE
  join(start(body, NULL));
  require(data == 2, "one thread ran"); // NORACE
}
