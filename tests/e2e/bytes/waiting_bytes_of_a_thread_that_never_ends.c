// RUN: %e2e %s
// The writer sleeps for ever with a byte that waits for its check: the end of the process checks it.
#include "e2e.h"
#include <unistd.h>

_Alignas(8) volatile char text[8];
static struct InvisibleGate gate;

static void* writer(void* unused) {
  for (int i = 0; i < 3; ++i) text[i] = 'x'; // RACE
  invisible_signal(&gate);
  for (;;) pause();
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  invisible_wait(&gate, 1);
  KEEP((int)text[2]); // RACE
}
