// The loop is run through twice before anything is joined.
// VERDICT: pairs
#include <thread>
#include <vector>

static int out[4];

static void start(std::vector<std::thread>& threads) {
  for (int i = 0; i < 4; i++) threads.emplace_back([i] { out[i] += i; }); // RACE
}

int main() {
  std::vector<std::thread> threads;
  for (int round = 0; round < 2; round++) start(threads);
  for (std::thread& thread : threads) thread.join();
  return out[2];
}
