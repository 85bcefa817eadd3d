// The array begins elsewhere for some threads.
// VERDICT: pairs
#include <thread>
#include <vector>

int main() {
  int out[8] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    int* first = i == 3 ? out + 1 : out;
    threads.emplace_back([first, i] { first[i] += i; });  // RACE
    threads.emplace_back([&out, i] { out[4 - i] += i; }); // RACE
  }
  for (std::thread& thread : threads) thread.join();
  return out[2];
}
