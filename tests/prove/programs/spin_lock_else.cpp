// The access is also made when the lock was not taken.
// VERDICT: pairs
#include <atomic>
#include <thread>
int x;

std::atomic_flag f;
int main() {
  std::thread t([] {
    if (!f.test_and_set()) {
      x++;
      f.clear();
    } else
      x++; // RACE
  });
  while (f.test_and_set());
  x++; // RACE
  f.clear();
  t.join();
  return x;
}
