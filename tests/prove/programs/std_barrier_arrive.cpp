// Another thread arrives without waiting, twice.
// VERDICT: pairs
#include <barrier>
#include <thread>
int x;

std::barrier b(3);
int main() {
  std::thread t([] {
    x = 1;               // RACE
    b.arrive_and_wait(); // IMPRECISE
  });
  std::thread u([] {
    for (int i = 0; i < 2; i++) (void)b.arrive();
  });
  b.arrive_and_wait(); // IMPRECISE
  int r = x;           // RACE
  x = 9;               // RACE
  t.join();
  u.join();
  return r;
}
