// The thread uses the creator's shared_ptr, not one of its own.
// VERDICT: pairs
#include <memory>
#include <thread>

struct Shared {
  int number = 1;
  ~Shared() { number = 0; } // RACE
};

int main() {
  auto shared = std::make_shared<Shared>();
  std::thread thread([&shared] {
    volatile int number = shared->number; // RACE
    (void)number;
  });
  shared.reset(); // RACE INSIDE
  thread.join();
}
