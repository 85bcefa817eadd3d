// Some threads get the closure of an earlier iteration.
// VERDICT: pairs
#include <thread>
#include <vector>

struct Work {
  int* out;
  int number;
  void operator()() const { out[number] += 1; } // RACE
};

int main() {
  int out[4] = {};
  Work work = {out, 0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    Work next = {out, i};
    if (i != 2) work = next;
    threads.emplace_back(work);
  }
  for (std::thread& thread : threads) thread.join();
  return out[2];
}
