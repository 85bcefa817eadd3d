// One thread counts down by two.
// VERDICT: pairs
#include <latch>
#include <thread>
int x;

int y;
int main() {
  std::latch l(2);
  std::thread t([&] {
    x = 1; // IMPRECISE
    l.count_down(2);
  });
  std::thread u([&] {
    y = 1; // RACE
    l.count_down();
  });
  l.wait();
  int r = x + y; // RACE
  t.join();
  u.join();
  return r;
}
