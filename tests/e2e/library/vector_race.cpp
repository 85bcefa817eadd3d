// RUN: %e2e %s
// Two threads that push into one std::vector race; the reported lines are those of the program.
#include "e2e.h"
#include <vector>

static std::vector<int> vector;
static InvisibleGate gate;

static void* first(void*) {
  vector.push_back(1); // RACE
  invisible_signal(&gate);
  return nullptr;
}

static void* second(void*) {
  invisible_wait(&gate, 1);
  vector.push_back(2); // RACE
  return nullptr;
}

int main() {
  vector.reserve(4);
  run_two(first, second);
}
