// The thread goes on after it has done the task.
// VERDICT: pairs
#include <future>
#include <thread>
static int before, after;
int main() {
  std::packaged_task<int()> task([] {
    before = 1; // RACE
    return 2;
  });
  std::future<int> result = task.get_future();
  std::thread thread([&task] {
    task();
    after = 1; // RACE
  });
  before = 2; // RACE
  int seen = result.get();
  after = seen; // RACE
  thread.join();
  return after;
}
