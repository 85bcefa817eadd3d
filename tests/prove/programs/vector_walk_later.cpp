// The walk leaves out the first thread.
// VERDICT: pairs
#include <atomic>
#include <thread>
#include <vector>
int x;

int main() {
  std::vector<std::thread> v;
  for (int i = 0; i < 2; i++) v.emplace_back([] { __atomic_fetch_add(&x, 1, 5); }); // RACE
  for (auto it = v.begin() + 1; it != v.end(); ++it) it->join();
  x = 5; // RACE
  v[0].join();
  return x; // IMPRECISE
}
