// Two flags of std::call_once.
// VERDICT: pairs
#include <mutex>
#include <thread>
static int data;
static std::once_flag a, b;
int main() {
  std::thread t([] { std::call_once(a, [] { data = 1; }); }); // RACE
  std::call_once(b, [] { data = 2; });                        // RACE
  t.join();
}
