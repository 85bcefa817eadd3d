// A latch opens when both threads have counted it down.
// VERDICT: race-free
#include <latch>
#include <thread>
int a, b;
int main() {
  std::latch l(2);
  std::thread t([&] {
    a = 1;
    l.count_down();
  });
  std::thread u([&] {
    b = 1;
    l.count_down();
  });
  l.wait();
  int r = a + b;
  a = 7;
  t.join();
  u.join();
  return r;
}
