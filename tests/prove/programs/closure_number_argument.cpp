// The number is an argument of the thread's function.
// VERDICT: race-free by local-thread
#include <functional>
#include <thread>
#include <vector>

static void work(std::vector<long>& out, unsigned number) { out[number] += number; }

int main() {
  std::vector<long> out(4);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; i++) threads.emplace_back(work, std::ref(out), i);
  for (std::thread& thread : threads) thread.join();
  return static_cast<int>(out[1]);
}
