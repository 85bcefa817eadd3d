// The access is behind a pointer to a member function, which is stored as an integer.
// VERDICT: pairs
#include <pthread.h>

struct Counter {
  long tag = 0;
  int count = 0;
  void step() { count++; } // RACE
};
Counter object;
void (Counter::*member)() = &Counter::step;

static void* body(void* argument) {
  (static_cast<Counter*>(argument)->*member)();
  return nullptr;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, body, &object);
  object.step();
  return 0;
}
