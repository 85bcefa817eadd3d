// The number counts only every other thread.
// VERDICT: pairs
#include <functional>
#include <thread>
#include <vector>

static void work(std::vector<long>& out, unsigned number) { out[number] += number; } // RACE

int main() {
  std::vector<long> out(4);
  std::vector<std::thread> threads;
  for (unsigned i = 0, round = 0; round < 8; round++) {
    threads.emplace_back(work, std::ref(out), i);
    if (round % 2) i++;
  }
  for (std::thread& thread : threads) thread.join();
  return static_cast<int>(out[1]);
}
