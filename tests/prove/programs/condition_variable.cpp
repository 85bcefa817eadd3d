// A flag under the lock of a condition variable, in C++.
// VERDICT: race-free by ordering
#include <condition_variable>
#include <mutex>
#include <thread>
static int data;
static bool ready;
static std::mutex m;
static std::condition_variable c;
int main() {
  std::thread t([] {
    data = 1;
    {
      std::lock_guard g(m);
      ready = true;
    }
    c.notify_one();
  });
  {
    std::unique_lock l(m);
    c.wait(l, [] { return ready; });
  }
  data = 2;
  t.join();
}
