// VERDICT: race-free
#include <thread>
#include <vector>

int value;
std::vector<std::thread> threads;

int main() {
  threads.emplace_back([] { value = 1; });
  for (std::thread& thread : threads) thread.join();
  return value;
}
