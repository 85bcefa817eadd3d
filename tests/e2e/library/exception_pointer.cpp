// RUN: %e2e %s
// An exception that travels to other threads as exception_ptr, or through a future, does not race with its
// users.
#include "e2e.h"
#include <future>
#include <stdexcept>

struct Failure : std::runtime_error {
  Failure() : std::runtime_error("the reason"), code(7) {}
  int code;
};

static void* rethrow(void* argument) {
  std::exception_ptr* mine = static_cast<std::exception_ptr*>(argument);
  try {
    std::rethrow_exception(*mine);
  } catch (const Failure& failure) {
    require(failure.code == 7, "the exception arrives"); // NORACE
  }
  delete mine;
  return nullptr;
}

int main() {
  for (int i = 0; i < 20; ++i) {
    std::exception_ptr pointer;
    try {
      std::async(std::launch::async, []() -> int { throw Failure(); }).get();
    } catch (...) {
      pointer = std::current_exception();
    }
    pthread_t one = start(rethrow, new std::exception_ptr(pointer));
    pthread_t two = start(rethrow, new std::exception_ptr(pointer));
    pointer = nullptr;
    join(one);
    join(two);
  }
}
