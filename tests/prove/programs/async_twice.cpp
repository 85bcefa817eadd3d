// The second begins when the first has ended. Which state get() waits for is known by the last call only.
// VERDICT: pairs
#include <future>
static int shared;
int main() {
  std::future<int> one = std::async([] { return ++shared; }); // IMPRECISE
  int result = one.get();
  std::future<int> two = std::async([] { return ++shared; }); // IMPRECISE
  return result + two.get();
}
