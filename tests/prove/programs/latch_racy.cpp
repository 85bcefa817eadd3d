// A latch that one of two threads can open alone.
// VERDICT: pairs
#include <latch>
#include <thread>
int a, b;
int main() {
  std::latch l(1);
  std::thread t([&] {
    a = 1; // RACE
    l.count_down();
  });
  std::thread u([&] {
    b = 1; // RACE
    l.count_down();
  });
  l.wait();
  int r = a + b; // RACE
  t.join();
  u.join();
  return r;
}
