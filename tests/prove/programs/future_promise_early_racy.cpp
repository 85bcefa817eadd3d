// The data is read before the future is asked.
// VERDICT: pairs
#include <future>
#include <thread>

static int data;

int main() {
  std::promise<void> promise;
  std::future<void> future = promise.get_future();
  std::thread thread([&promise] {
    data = 1; // RACE
    promise.set_value();
  });
  int sum = data; // RACE
  future.get();
  thread.join();
  return sum;
}
