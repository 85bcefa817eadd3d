// The access is behind a virtual call.
// VERDICT: pairs
#include <pthread.h>

struct Base {
  virtual void visit() = 0;
  int count = 0;
};
struct Derived : Base {
  void visit() override { count++; } // RACE
};
Derived object;

static void* body(void* argument) {
  static_cast<Base*>(argument)->visit();
  return nullptr;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, body, &object);
  static_cast<Base*>(&object)->visit();
  return 0;
}
