// std::atomic_flag::wait.
// VERDICT: race-free
#include <atomic>
#include <thread>
int a;
std::atomic_flag f;
int main() {
  std::thread t([&] {
    a = 1;
    f.test_and_set();
    f.notify_one();
  });
  f.wait(false);
  a = 2;
  t.join();
  return a;
}
