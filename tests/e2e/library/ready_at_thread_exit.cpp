// RUN: %e2e %s
// set_value_at_thread_exit and make_ready_at_thread_exit: a waiter comes after all that the thread has done, destructors of its variables included. Who does
// not wait does not.
#include "e2e.h"
#include <future>
#include <thread>

int by_promise, by_task, by_destructor, unordered;
static InvisibleGate gate;

struct Last {
  bool used = false;
  ~Last() { by_destructor = 1; } // NORACE
};
static thread_local Last last;

int main() {
  std::promise<int> promise;
  std::future<int> value = promise.get_future();
  std::thread first([&promise] {
    last.used = true;
    promise.set_value_at_thread_exit(1);
    by_promise = 1; // NORACE
  });
  require(value.get() == 1, "the value");
  by_promise = 2;    // NORACE
  by_destructor = 2; // NORACE
  std::packaged_task<int()> task([] {
    by_task = 1; // NORACE
    return 2;
  });
  std::future<int> result = task.get_future();
  std::thread second([&task] {
    task.make_ready_at_thread_exit();
    by_task = 2;   // NORACE
    unordered = 1; // RACE
    invisible_signal(&gate);
  });
  invisible_wait(&gate, 1);
  unordered = 2; // RACE
  require(result.get() == 2, "the result");
  by_task = 3; // NORACE
  first.join();
  second.join();
}
