// The promise is kept too early.
// VERDICT: pairs
#include <future>
#include <thread>

static int data;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&promise] {
    promise.set_value(4);
    data = 1; // RACE
  });
  int sum = future.get() + data; // RACE
  thread.join();
  return sum;
}
