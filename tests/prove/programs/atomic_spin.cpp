// A flag that is set atomically and waited for, in C++.
// VERDICT: race-free by ordering
#include <atomic>
#include <thread>
static int data;
static std::atomic<bool> ready{false};
int main() {
  std::thread t([] {
    data = 1;
    ready.store(true, std::memory_order_release);
  });
  while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
  data = 2;
  t.join();
}
