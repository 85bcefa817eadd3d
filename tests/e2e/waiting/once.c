// RUN: %e2e %s
// pthread_once: the initialiser is ordered before the return of every call.
#include "e2e.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
int value;

static void initialise(void) { value = 42; } // NORACE

static void* body(void* unused) {
  pthread_once(&once, initialise);
  require(value == 42, "it is initialised"); // NORACE
  return NULL;
}

int main(void) { run_many(8, body); }
