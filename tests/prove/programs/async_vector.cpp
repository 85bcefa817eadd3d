// Several threads of std::async, each with its argument.
// VERDICT: race-free
#include <future>
#include <vector>
static int shared;
static int twice(int number) { return 2 * number; }
int main() {
  std::vector<std::future<int>> all;
  for (int i = 0; i < 4; i++) all.push_back(std::async(std::launch::async, twice, i));
  for (std::future<int>& one : all) shared += one.get();
  return shared;
}
