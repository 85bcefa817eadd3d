// The store comes before the write.
// VERDICT: pairs
#include <atomic>
#include <thread>
int a;
std::atomic<int> f{0};
int main() {
  std::thread t([&] {
    f.store(1);
    f.notify_one();
    a = 1; // RACE
  });
  f.wait(0);
  a = 2; // RACE
  t.join();
  return a;
}
