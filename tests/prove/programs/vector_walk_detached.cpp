// A detached thread is not joinable, and runs on.
// VERDICT: pairs
#include <atomic>
#include <thread>
#include <vector>
int x;

int main() {
  std::vector<std::thread> v;
  for (int i = 0; i < 2; i++) v.emplace_back([] { __atomic_fetch_add(&x, 1, 5); }); // RACE
  v[0].detach();
  for (auto& t : v)
    if (t.joinable()) t.join();
  x = 5;    // RACE
  return x; // RACE
}
