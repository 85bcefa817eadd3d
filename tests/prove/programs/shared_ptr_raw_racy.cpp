// The thread has no reference, only a pointer.
// VERDICT: pairs
#include <memory>
#include <thread>

struct Shared {
  int number = 1;
  ~Shared() { number = 0; } // RACE
};

int main() {
  auto shared = std::make_shared<Shared>();
  std::thread thread([raw = shared.get()] {
    volatile int number = raw->number; // RACE
    (void)number;
  });
  shared.reset();
  thread.join();
}
