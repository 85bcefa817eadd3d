// The store and the wait order nothing.
// VERDICT: pairs
#include <atomic>
#include <thread>
int a;
std::atomic<int> f{0};
int main() {
  std::thread t([&] {
    a = 1; // RACE
    f.store(1, std::memory_order_relaxed);
    f.notify_one();
  });
  f.wait(0, std::memory_order_relaxed);
  a = 2; // RACE
  t.join();
  return a;
}
