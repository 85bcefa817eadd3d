// A loop that joins all threads of a vector has joined them all when it ends.
// VERDICT: race-free
#include <thread>
#include <vector>
int a[4];
int n;
int main() {
  std::vector<std::thread> v;
  for (int i = 0; i < 4; i++) v.emplace_back([] { __atomic_fetch_add(&n, 1, 5); });
  for (auto& t : v) t.join();
  return n;
}
