// A lock made of compare-and-exchange.
// VERDICT: race-free
#include <atomic>
#include <thread>
int a;
class Spin {
  std::atomic<int> f{0};

public:
  void lock() {
    int e = 0;
    while (!f.compare_exchange_weak(e, 1, std::memory_order_acquire)) e = 0;
  }
  void unlock() { f.store(0, std::memory_order_release); }
};
Spin s;
int main() {
  std::thread t([&] {
    s.lock();
    a++;
    s.unlock();
  });
  s.lock();
  a++;
  s.unlock();
  t.join();
  return a;
}
