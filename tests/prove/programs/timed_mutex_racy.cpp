// Nobody asks whether try_lock_for succeeded.
// VERDICT: pairs
#include <chrono>
#include <mutex>
#include <thread>
int a;
std::timed_mutex m;
int main() {
  std::thread t([&] {
    m.try_lock_for(std::chrono::seconds(1));
    a++; // RACE
    m.unlock();
  });
  {
    std::lock_guard<std::timed_mutex> l(m);
    a++; // RACE
  }
  t.join();
  return a;
}
