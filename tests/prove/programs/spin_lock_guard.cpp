// A lock made of an exchange that is tried again, in a std::lock_guard.
// VERDICT: race-free
#include <atomic>
#include <mutex>
#include <thread>
int a;
class Spin {
  std::atomic<bool> f{false};

public:
  void lock() {
    while (f.exchange(true, std::memory_order_acquire))
      while (f.load(std::memory_order_relaxed));
  }
  void unlock() { f.store(false, std::memory_order_release); }
};
Spin s;
int main() {
  std::thread t([&] {
    std::lock_guard<Spin> g(s);
    a++;
  });
  {
    std::lock_guard<Spin> g(s);
    a++;
  }
  t.join();
  return a;
}
