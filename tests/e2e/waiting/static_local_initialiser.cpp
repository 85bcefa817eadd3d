// RUN: %e2e %s
// The initialiser of a static local is ordered before every use, also after one that threw.
#include "e2e.h"

int attempts;

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

static void* body(void*) {
  for (;;) {
    try {
      require(table().entries[7] == 7, "it is initialised"); // NORACE
      return nullptr;
    } catch (int) {
    }
  }
}

int main() { run_many(6, body); }
