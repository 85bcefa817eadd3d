// RUN: %e2e %s
// A loop is left by an exception that its own frame does not catch: what it has accessed until then is checked, what it has not is not.
#include "e2e.h"

#include <stdexcept>

enum { count = 100, last = 60 };
int numbers[count];
static InvisibleGate gate;

__attribute__((noinline)) static void stop_at(int i) {
  if (i == last) throw std::runtime_error("enough");
}

__attribute__((noinline)) static void fill() {
  for (int i = 0; i < count; ++i) {
    numbers[i] = i; // RACE(before)
    stop_at(i);
  }
}

static void* walker(void*) {
  try {
    fill();
  } catch (const std::runtime_error&) {
  }
  invisible_signal(&gate);
  return nullptr;
}

static void* visitor(void*) {
  invisible_wait(&gate, 1);
  KEEP(numbers[last]);     // RACE(before)
  KEEP(numbers[last + 1]); // NORACE: never written
  return nullptr;
}

int main() { run_two(walker, visitor); }
