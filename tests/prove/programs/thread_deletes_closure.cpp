// The thread destroys the closure that it runs.
// VERDICT: pairs
#include <thread>

static int alive = 1;

struct Counted {
  int* count;
  explicit Counted(int* counter) : count(counter) {}
  Counted(const Counted& other) : count(other.count) {}
  ~Counted() { *count -= 1; } // RACE
  void operator()() {}
};

int main() {
  auto* closure = new Counted(&alive);
  std::thread thread(*closure);
  alive += 1; // RACE
  thread.join();
  return alive;
}
