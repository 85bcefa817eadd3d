// What is done before the promise is kept is done when the future has been asked.
// VERDICT: race-free by ordering
#include <future>
#include <thread>

static int data;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&promise] {
    data = 1;
    promise.set_value(4);
  });
  int sum = future.get() + data;
  thread.join();
  return sum;
}
