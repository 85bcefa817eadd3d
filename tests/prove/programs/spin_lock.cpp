// A lock made of std::atomic_flag.
// VERDICT: race-free
#include <atomic>
#include <thread>
int a;
class Spin {
  std::atomic_flag f = ATOMIC_FLAG_INIT;

public:
  void lock() { while (f.test_and_set(std::memory_order_acquire)); }
  void unlock() { f.clear(std::memory_order_release); }
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
