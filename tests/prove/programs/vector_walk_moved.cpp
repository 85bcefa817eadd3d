// One thread was moved out of the vector before the others were joined.
// VERDICT: pairs
#include <thread>
#include <vector>
int x;

int main() {
  std::thread kept;
  {
    std::vector<std::thread> v;
    for (int i = 0; i < 2; i++) v.emplace_back([] { x++; }); // RACE
    kept = std::move(v[0]);
    for (auto& t : v)
      if (t.joinable()) t.join();
    x = 5; // RACE
  }
  kept.join();
  return x; // IMPRECISE
}
