// The promise may be destroyed while the thread still keeps it.
// VERDICT: pairs
#include <future>
#include <thread>

int main() {
  std::thread thread;
  int sum = 0;
  {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    thread = std::thread([&promise] { promise.set_value(4); }); // RACE INSIDE
    sum = future.get();
  } // RACE INSIDE
  thread.join();
  return sum;
}
