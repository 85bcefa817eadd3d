// After a failure it expects one, and takes a lock that is held.
// VERDICT: pairs
#include <atomic>
#include <thread>
int x;

std::atomic<int> f{0};
void lock() {
  int e = 0;
  while (!f.compare_exchange_weak(e, 1, std::memory_order_acquire));
}
void unlock() { f.store(0, std::memory_order_release); }
int main() {
  std::thread t([] {
    lock();
    x++; // RACE
    unlock();
  });
  lock();
  x++; // RACE
  unlock();
  t.join();
  return x;
}
