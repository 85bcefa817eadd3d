// Two of three threads open the latch.
// VERDICT: pairs
#include <latch>
#include <thread>
#include <vector>
int x;

int a[3];
int main() {
  std::latch l(2);
  std::vector<std::thread> v;
  for (int i = 0; i < 3; i++)
    v.emplace_back([&] {
      x = 1; // RACE
      l.count_down();
    });
  l.wait();
  int r = x; // RACE
  for (auto& t : v) t.join();
  return r;
}
