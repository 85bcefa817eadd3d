// std::barrier: both write before it, and read behind it.
// VERDICT: race-free
#include <barrier>
#include <thread>
int a, b;
int main() {
  std::barrier bar(2);
  std::thread t([&] {
    a = 1;
    bar.arrive_and_wait();
    int r = b;
    (void)r;
  });
  b = 1;
  bar.arrive_and_wait();
  int r = a;
  t.join();
  return r;
}
