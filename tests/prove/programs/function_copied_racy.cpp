// A copy of a std::function has a copy of what it holds, which leads to the same memory.
// VERDICT: pairs
#include <functional>
#include <thread>
int main() {
  int shared = 0;
  long padding[4] = {1, 2, 3, 4};
  std::function<void()> one = [&shared, padding] { shared += padding[0]; }; // RACE
  std::function<void()> two;
  two = one;
  std::thread thread(two);
  one();
  thread.join();
  return shared;
}
