// Both threads arrive and wait, then read what the other wrote.
// VERDICT: race-free
#include <latch>
#include <thread>
int a, b;
int main() {
  std::latch l(2);
  std::thread t([&] {
    a = 1;
    l.arrive_and_wait();
    (void)b;
    int r = b;
    (void)r;
  });
  b = 1;
  l.arrive_and_wait();
  int r = a;
  t.join();
  return r;
}
