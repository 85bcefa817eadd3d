// RUN: %e2e %s
// Asynchronous cancellation in the middle of instrumented code leaves the runtime usable.
// RUNS: 3
#include "e2e.h"

volatile long spins[1];
int before;
static struct InvisibleGate gate;

static void* body(void* unused) {
  before = 1; // NORACE
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  invisible_signal(&gate);
  for (;;) spins[0] = spins[0] + 1; // NORACE
}

int main(void) {
  for (int i = 0; i < 20; ++i) {
    pthread_t thread = start(body, NULL);
    invisible_wait(&gate, i + 1);
    pthread_cancel(thread);
    join(thread);
    KEEP(before); // NORACE
  }
}
