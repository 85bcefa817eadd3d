// RUN: %e2e %s
// shared_ptr copies in several threads: the count orders the last owner's destructor after every use.
#include "e2e.h"
#include <memory>

struct Object {
  int value = 1;
  ~Object() { value = 0; } // NORACE
};
struct Argument {
  std::shared_ptr<Object> object;
  std::weak_ptr<Object> weak;
};

static void* body(void* argument) {
  Argument* mine = static_cast<Argument*>(argument);
  std::shared_ptr<Object> copy = mine->object;
  KEEP(copy->value);                                                           // NORACE
  if (std::shared_ptr<Object> locked = mine->weak.lock()) KEEP(locked->value); // NORACE
  delete mine;
  return nullptr;
}

int main() {
  for (int i = 0; i < 30; ++i) {
    auto object = i % 2 ? std::make_shared<Object>() : std::shared_ptr<Object>(new Object);
    pthread_t threads[3];
    for (pthread_t& thread : threads) thread = start(body, new Argument{object, object});
    object.reset();
    for (pthread_t thread : threads) join(thread);
  }
}
