// The exchange orders nothing.
// VERDICT: pairs
#include <atomic>
#include <thread>
int a;
class Spin {
  std::atomic<bool> f{false};

public:
  void lock() { while (f.exchange(true, std::memory_order_relaxed)); }
  void unlock() { f.store(false, std::memory_order_relaxed); }
};
Spin s;
int main() {
  std::thread t([&] {
    s.lock();
    a++; // RACE
    s.unlock();
  });
  s.lock();
  a++; // RACE
  s.unlock();
  t.join();
  return a;
}
