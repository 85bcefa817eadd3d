// The write comes after the flag.
// VERDICT: pairs
#include <condition_variable>
#include <mutex>
#include <thread>
static int data;
static bool ready;
static std::mutex m;
static std::condition_variable c;
int main() {
  std::thread t([] {
    {
      std::lock_guard g(m);
      ready = true;
    }
    c.notify_one();
    data = 1; // RACE
  });
  {
    std::unique_lock l(m);
    c.wait(l, [] { return ready; });
  }
  data = 2; // RACE
  t.join();
}
