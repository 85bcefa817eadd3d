// RUN: %e2e %s
// std::condition_variable and std::condition_variable_any, with predicates, time-outs and a stop token.
#include "e2e.h"
#include <condition_variable>
#include <shared_mutex>
#include <thread>

static std::mutex mutex;
static std::shared_mutex shared_mutex;
static std::condition_variable changed;
static std::condition_variable_any any_changed;
int step, data;

int main() {
  std::thread first([] {
    std::unique_lock lock(mutex);
    data = 1; // NORACE
    step = 1; // NORACE
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(20), [] { return step == 2; }); // NORACE
    KEEP(data);                                                                 // NORACE
  });
  std::thread second([] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return step == 1; }); // NORACE
    data = 2;                                     // NORACE
    step = 2;                                     // NORACE
    changed.notify_all();
  });
  first.join();
  second.join();
  std::jthread third([](std::stop_token stop) {
    std::unique_lock lock(shared_mutex);
    any_changed.wait(lock, stop, [] { return step == 3; }); // NORACE
    KEEP(data);                                             // NORACE
  });
  {
    std::unique_lock lock(shared_mutex);
    data = 3; // NORACE
    step = 3; // NORACE
  }
  any_changed.notify_all();
}
