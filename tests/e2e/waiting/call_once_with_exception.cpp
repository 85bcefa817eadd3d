// RUN: %e2e %s
// std::call_once: an execution that throws is ordered before the next one; the one that returns before all
// callers.
#include "e2e.h"
#include <mutex>

static std::once_flag flag;
int attempts, value;
static InvisibleGate turn;

static void initialise() {
  if (++attempts < 3) throw attempts; // NORACE
  value = 42;                         // NORACE
}

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&turn, (int)me); // the first two throw, the third returns, the fourth finds it done
  try {
    std::call_once(flag, initialise);
    require(value == 42 && attempts == 3 && me >= 2, "it is initialised"); // NORACE
  } catch (int) {
    require(me < 2, "the first two throw");
  }
  invisible_signal(&turn);
  return nullptr;
}

int main() { run_many(4, body); }
