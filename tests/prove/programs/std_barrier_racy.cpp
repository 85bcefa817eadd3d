// Both accesses come behind the barrier.
// VERDICT: pairs
#include <barrier>
#include <thread>
int a, b;
int main() {
  std::barrier bar(2);
  std::thread t([&] {
    bar.arrive_and_wait();
    a = 1; // RACE
  });
  bar.arrive_and_wait();
  int r = a; // RACE
  t.join();
  return r;
}
