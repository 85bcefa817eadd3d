// Threads in a vector: when it is destroyed, all of them have been joined.
// VERDICT: race-free by local-thread
#include <mutex>
#include <thread>
#include <vector>
static int shared;
static std::mutex lock;
static void run(unsigned threads) {
  std::vector<std::thread> team;
  for (unsigned i = 0; i < threads; i++)
    team.emplace_back([] {
      std::lock_guard<std::mutex> guard(lock);
      shared++;
    });
  for (std::thread& thread : team) thread.join();
}
int main(int argc, char** argv) {
  run(static_cast<unsigned>(argc));
  return shared;
}
