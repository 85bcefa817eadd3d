// RUN: %e2e %s
// operator delete that is not ordered after another thread's read races with it.
#include "e2e.h"

struct Node {
  int value = 1;
  int other = 2;
};
void* published;
static InvisibleGate gate;

static void* user(void*) {
  KEEP(static_cast<Node*>(invisible_load(&published))->other); // RACE
  invisible_signal(&gate);
  return nullptr;
}

static void* owner(void*) {
  invisible_wait(&gate, 1);
  delete static_cast<Node*>(invisible_load(&published)); // RACE
  return nullptr;
}

int main() {
  invisible_store(&published, new Node);
  run_two(user, owner);
}
