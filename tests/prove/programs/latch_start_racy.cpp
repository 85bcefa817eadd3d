// The latch is opened before the data is written.
// VERDICT: pairs
#include <latch>
#include <thread>
int a;
int main() {
  std::latch l(1);
  std::thread t([&] {
    l.wait();
    a++; // RACE
  });
  l.count_down();
  a = 5; // RACE
  t.join();
  return a;
}
