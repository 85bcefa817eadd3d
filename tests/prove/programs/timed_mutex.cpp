// try_lock_for succeeds, or the data is left alone.
// VERDICT: race-free
#include <chrono>
#include <mutex>
#include <thread>
int a;
std::timed_mutex m;
int main() {
  std::thread t([&] {
    if (m.try_lock_for(std::chrono::seconds(1))) {
      a++;
      m.unlock();
    }
  });
  {
    std::lock_guard<std::timed_mutex> l(m);
    a++;
  }
  t.join();
  return a;
}
