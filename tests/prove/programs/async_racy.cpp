// Before the result is there the thread of std::async runs.
// VERDICT: pairs
#include <future>
static int shared, other;
int main() {
  std::future<int> one = std::async(std::launch::async, [] {
    shared = 1; // RACE
    return 2;
  });
  shared = 3; // RACE
  int result = one.get();
  std::future<void> two = std::async([] { other++; }); // RACE
  result += other;                                     // RACE
  two.wait();
  return result + other;
}
