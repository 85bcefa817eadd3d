// A weak reference does not keep the object: what it was asked for before may be gone.
// VERDICT: pairs
#include <memory>
#include <thread>

struct Shared {
  int number = 1;
  ~Shared() { number = 0; } // RACE
};

int main() {
  auto shared = std::make_shared<Shared>();
  std::weak_ptr<Shared> weak = shared;
  std::thread thread([weak] {
    Shared* raw = weak.lock().get();
    if (!raw) return;
    volatile int number = raw->number; // RACE
    (void)number;
  });
  shared.reset();
  thread.join();
}
