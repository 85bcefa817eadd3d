// RUN: %e2e %s
// async, promise, packaged_task and shared_future hand over values, and what was written before them.
#include "e2e.h"
#include <future>
#include <thread>

int data[3];

int main() {
  std::future<int> result = std::async(std::launch::async, [] { return data[0] = 1; }); // NORACE
  require(result.get() == 1 && data[0] == 1, "async");                                  // NORACE

  std::promise<int> promise;
  std::shared_future<int> shared = promise.get_future().share();
  std::thread one([shared] { require(shared.get() == 2 && data[1] == 2, "promise"); }); // NORACE
  std::thread two([shared] { require(shared.get() == 2 && data[1] == 2, "promise"); }); // NORACE
  data[1] = 2;                                                                          // NORACE
  promise.set_value(2);
  one.join();
  two.join();

  std::packaged_task<int(int)> task([](int value) { return data[2] = value; }); // NORACE
  std::future<int> answer = task.get_future();
  std::thread three(std::move(task), 3);
  require(answer.get() == 3 && data[2] == 3, "packaged_task"); // NORACE
  three.join();
}
