// The walk may end early.
// VERDICT: pairs
#include <atomic>
#include <thread>
#include <vector>
int x;

int main(int c, char**) {
  std::vector<std::thread> v;
  for (int i = 0; i < 2; i++) v.emplace_back([] { __atomic_fetch_add(&x, 1, 5); }); // RACE
  for (auto& t : v) {
    if (c > 1) break;
    t.join();
  }
  x = 5; // RACE
  for (auto& t : v)
    if (t.joinable()) t.join();
  return x;
}
