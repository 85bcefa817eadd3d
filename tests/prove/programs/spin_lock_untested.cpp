// What the exchange found is not looked at.
// VERDICT: pairs
#include <atomic>
#include <thread>
int a;
std::atomic<bool> f{false};
int main() {
  std::thread t([&] {
    f.exchange(true);
    a++; // RACE
    f.store(false);
  });
  f.exchange(true);
  a++; // RACE
  f.store(false);
  t.join();
  return a;
}
