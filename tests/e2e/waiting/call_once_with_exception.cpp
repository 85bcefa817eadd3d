// RUN: %e2e %s
// std::call_once: an initialiser that throws runs again, and the one that succeeds is ordered before every
// return.
#include "e2e.h"
#include <mutex>

static std::once_flag flag;
int attempts, value;

static void initialise() {
  if (++attempts < 3) throw attempts; // NORACE
  value = 42;                         // NORACE
}

static void* body(void*) {
  for (bool done = false; !done;) {
    try {
      std::call_once(flag, initialise);
      done = true;
    } catch (int) {
    }
  }
  require(value == 42 && attempts == 3, "it is initialised"); // NORACE
  return nullptr;
}

int main() { run_many(4, body); }
