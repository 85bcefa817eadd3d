// RUN: %e2e %s
// Members reached through references, virtual calls and inheritance are checked at their exact bytes.
#include "e2e.h"

struct Base {
  virtual ~Base() = default;
  virtual void update(int value) = 0;
  int base_member = 0;
};
struct Derived : Base {
  void update(int value) override {
    own_member = value; // RACE
  }
  int own_member = 0;
  int other_member = 0;
};
static Derived object;
static Base& reference = object;
static InvisibleGate gate;

static void* first(void*) {
  reference.update(1);
  reference.base_member = 1; // NORACE
  invisible_signal(&gate);
  return nullptr;
}

static void* second(void*) {
  invisible_wait(&gate, 1);
  object.other_member = 2; // NORACE
  reference.update(2);
  return nullptr;
}

int main() { run_two(first, second); }
