// The thread uses the object after it has given its reference back.
// VERDICT: pairs
#include <memory>
#include <thread>

struct Shared {
  int number = 1;
  ~Shared() { number = 0; } // RACE
};

int main() {
  auto shared = std::make_shared<Shared>();
  std::thread thread([shared]() mutable {
    Shared* raw = shared.get();
    shared.reset();
    volatile int number = raw->number; // RACE
    (void)number;
  });
  shared.reset();
  thread.join();
}
