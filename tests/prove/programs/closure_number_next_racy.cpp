// A thread also writes the element of the next one.
// VERDICT: pairs
#include <thread>
#include <vector>

int main() {
  int out[5] = {};
  int* first = out;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([first, i] {
      first[i] = i;       // RACE
      (first + 1)[i] = i; // RACE
    });
  for (std::thread& thread : threads) thread.join();
}
