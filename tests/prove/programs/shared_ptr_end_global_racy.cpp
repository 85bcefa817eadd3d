// The end of the object does something to a variable that others use.
// VERDICT: pairs
#include <memory>
#include <thread>

static int ended;

struct Shared {
  int number = 1;
  ~Shared() { ended++; } // RACE
};

int main() {
  auto shared = std::make_shared<Shared>();
  std::thread thread([shared] {
    volatile int number = shared->number;
    (void)number;
  });
  shared.reset();
  ended++; // RACE
  thread.join();
}
