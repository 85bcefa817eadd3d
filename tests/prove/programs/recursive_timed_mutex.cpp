// A std::unique_lock with a time limit.
// VERDICT: race-free
#include <chrono>
#include <mutex>
#include <thread>
int a;
std::recursive_timed_mutex m;
int main() {
  std::thread t([&] {
    std::unique_lock<std::recursive_timed_mutex> l(m, std::chrono::milliseconds(100));
    if (l) {
      a++;
    }
  });
  {
    std::lock_guard<std::recursive_timed_mutex> l(m);
    a++;
  }
  t.join();
  return a;
}
