// RUN: %e2e %s
// A function marked no_sanitize("thread") is not checked; its neighbour is.
#include "e2e.h"

#if !__has_feature(thread_sanitizer)
#error "code that asks for thread_sanitizer must find it"
#endif

int unchecked, checked;
static struct InvisibleGate gate;

__attribute__((no_sanitize("thread"))) static void trusted(int value) { unchecked = value; } // NORACE

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  trusted((int)me);
  checked = (int)me; // RACE
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
