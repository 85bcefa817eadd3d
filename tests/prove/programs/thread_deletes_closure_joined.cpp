// What the thread does to its closure at its end is done when it has been joined.
// VERDICT: race-free by may-happen-in-parallel
#include <thread>

static int alive = 1;

struct Counted {
  int* count;
  explicit Counted(int* counter) : count(counter) {}
  Counted(const Counted& other) : count(other.count) {}
  ~Counted() { *count -= 1; }
  void operator()() {}
};

int main() {
  auto* closure = new Counted(&alive);
  std::thread thread(*closure);
  thread.join();
  alive += 1;
  return alive;
}
