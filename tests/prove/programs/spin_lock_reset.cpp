// Who does not hold the lock gives it back.
// VERDICT: pairs
#include <atomic>
#include <thread>
int a;
class Spin {
  std::atomic<bool> f{false};

public:
  void lock() { while (f.exchange(true, std::memory_order_acquire)); }
  void unlock() { f.store(false, std::memory_order_release); }
};
Spin s;
int main() {
  std::thread t([&] {
    s.lock();
    a++; // RACE
    s.unlock();
  });
  s.unlock();
  s.lock();
  a++; // RACE
  s.unlock();
  t.join();
  return a;
}
