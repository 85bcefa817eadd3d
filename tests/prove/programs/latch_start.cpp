// A latch that holds a thread back until the data is there.
// VERDICT: race-free
#include <latch>
#include <thread>
int a;
int main() {
  std::latch l(1);
  std::thread t([&] {
    l.wait();
    a++;
  });
  a = 5;
  l.count_down();
  t.join();
  return a;
}
