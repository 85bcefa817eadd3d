// Two locks each, but no common one.
// VERDICT: pairs
#include <mutex>
#include <thread>
int a;
std::mutex m, n, o, p;
int main() {
  std::thread t([&] {
    std::scoped_lock l(m, n);
    a++; // RACE
  });
  {
    std::scoped_lock l(o, p);
    a++; // RACE
  }
  t.join();
  return a;
}
