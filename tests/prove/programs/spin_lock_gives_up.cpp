// The loop gives up, and the access follows all the same.
// VERDICT: pairs
#include <atomic>
#include <thread>
int x;

std::atomic<bool> f{false};
int main(int c, char**) {
  std::thread t([=] {
    int n = 0;
    while (f.exchange(true))
      if (++n > c) break;
    x++; // RACE
    f.store(false);
  });
  while (f.exchange(true));
  x++; // RACE
  f.store(false);
  t.join();
  return x;
}
