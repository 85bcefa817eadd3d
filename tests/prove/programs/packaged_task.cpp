// What a packaged_task did comes before who gets its result.
// VERDICT: race-free
#include <future>
#include <thread>
static int shared;
int main() {
  std::packaged_task<int(int)> task([](int number) { return shared = number; });
  std::future<int> result = task.get_future();
  std::thread thread(std::move(task), 5);
  int seen = result.get();
  shared = seen + 1;
  thread.join();
  return shared;
}
