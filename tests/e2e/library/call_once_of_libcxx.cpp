// REQUIRES: libcxx
// RUN: %e2e %s
// FLAGS: -stdlib=libc++
// libc++'s call_once: whoever finds it done comes after the routine, also of another thread, and a routine may throw. What a
// thread does without asking is not ordered.
#include "e2e.h"
#include <mutex>

static std::once_flag once;
int made, unordered;
static InvisibleGate gate;

static void* first(void*) {
  std::call_once(once, [] {
    made = 1;      // NORACE
    unordered = 1; // RACE
  });
  invisible_signal(&gate);
  return nullptr;
}
static void* second(void*) {
  invisible_wait(&gate, 1);
  unordered = 2; // RACE
  std::call_once(once, [] { made = 5; });
  KEEP(made); // NORACE
  return nullptr;
}

int main() {
  std::once_flag failing;
  try {
    std::call_once(failing, [] { throw 1; });
  } catch (int) {
  }
  run_two(first, second);
}
