// Another thread opens the lock while it is held, without a race on it.
// VERDICT: pairs
#include <atomic>
#include <thread>
int x;
struct Spin {
  std::atomic<int> f{0};
  void lock() { while (f.exchange(1, std::memory_order_acquire)); }
  void unlock() { f.store(0, std::memory_order_release); }
};

Spin s;
std::atomic<int> a{0}, b{0};
int main() {
  std::thread t([] {
    s.lock();
    a = 1;
    while (!b);
    x++; // RACE
    s.unlock();
  });
  std::thread u([] {
    while (!b);
    s.lock();
    x++; // RACE
    s.unlock();
  });
  while (!a);
  s.f.store(0);
  b = 1;
  t.join();
  u.join();
  return x;
}
