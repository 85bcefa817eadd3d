// std::atomic::wait for what another thread stores after it has written.
// VERDICT: race-free
#include <atomic>
#include <thread>
int a;
std::atomic<int> f{0};
int main() {
  std::thread t([&] {
    a = 1;
    f.store(1);
    f.notify_one();
  });
  f.wait(0);
  a = 2;
  t.join();
  return a;
}
