// Who joins the threads of the vector does not know whether the other one has put all of them there.
// VERDICT: pairs
#include <mutex>
#include <thread>
#include <vector>

int value;
std::mutex mutex;
std::vector<std::thread> threads;

void fill() {
  std::lock_guard<std::mutex> guard(mutex);
  threads.emplace_back([] { value = 1; }); // RACE
}

int main() {
  std::thread filler(fill);
  {
    std::lock_guard<std::mutex> guard(mutex);
    for (std::thread& thread : threads) thread.join();
  }
  value = 2; // RACE
  filler.join();
}
