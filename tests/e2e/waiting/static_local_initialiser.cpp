// RUN: %e2e %s
// The initialiser of a static local is ordered before every use; one that throws before the next attempt.
#include "e2e.h"

int attempts;
static InvisibleGate turn;

struct Table {
  int entries[8];
  Table() {
    if (++attempts == 1) throw 1;               // NORACE
    for (int i = 0; i < 8; ++i) entries[i] = i; // NORACE
  }
};

static Table& table() {
  static Table instance;
  return instance;
}

static void* body(void* argument) {
  invisible_wait(&turn, (int)(long)argument);
  try {
    require(table().entries[7] == 7, "it is initialised"); // NORACE
  } catch (int) {
    require(argument == nullptr, "the first attempt throws");
  }
  invisible_signal(&turn);
  return nullptr;
}

int main() { run_many(4, body); }
