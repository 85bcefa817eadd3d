// RUN: %e2e %s
// A thread_local object with a destructor: constructed and destroyed in its thread, ordered before the join.
#include "e2e.h"

int destroyed;

struct Tracker {
  int value = 1;
  ~Tracker() { destroyed += value; } // NORACE
};
static thread_local Tracker tracker;

static void* body(void*) {
  tracker.value = 2; // NORACE
  return nullptr;
}

int main() {
  for (int i = 0; i < 10; ++i) join(start(body, nullptr));
  require(destroyed == 20, "each destructor ran"); // NORACE
}
