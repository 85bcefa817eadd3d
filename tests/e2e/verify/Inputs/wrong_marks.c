// Deliberately wrong: a race that is not marked, a mark where nothing races, a wrong exit code.
// EXIT: 0
// LEVELS: O1
// EXPECT-TEXT: words that no report contains
#include "e2e.h"

int shared, quiet;
static struct InvisibleGate gate;

static void* body(void* argument) {
  invisible_wait(&gate, (int)(long)argument);
  shared = 1;
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  quiet = 1; // RACE
  run_many(2, body);
}
