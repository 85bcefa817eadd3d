// RUN: %e2e %s
// Order is transitive: a thread created after a join sees what the joined thread did, and what that one
// joined.
#include "e2e.h"

int shared;

static void* leaf(void* unused) {
  ++shared; // NORACE
  return NULL;
}

static void* middle(void* unused) {
  join(start(leaf, NULL));
  ++shared; // NORACE
  return NULL;
}

int main(void) {
  for (int i = 0; i < 5; ++i) join(start(middle, NULL));
  require(shared == 10, "all ran");
}
