// Readers and a writer, in C++.
// VERDICT: race-free by global-lock
#include <mutex>
#include <shared_mutex>
#include <thread>
static int data;
static std::shared_mutex m;
int main() {
  std::thread t([] {
    std::unique_lock l(m);
    data = 1;
  });
  int x;
  {
    std::shared_lock l(m);
    x = data;
  }
  t.join();
  return x;
}
