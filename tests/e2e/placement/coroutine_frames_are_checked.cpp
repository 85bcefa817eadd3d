// RUN: %e2e %s
// The variables of a coroutine live in its frame, which another thread may resume: what is accessed before a suspension is checked there.
#include "e2e.h"

#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

int before[8], after[8];

namespace {

InvisibleGate gate;

Task steps(int n) {
  for (int i = 0; i < n; ++i) {
    before[i] = i; // RACE(before)
    co_await std::suspend_always();
    after[i] = i; // RACE(after)
  }
}

void* walker(void*) {
  Task task = steps(8);
  for (int i = 0; i < 5; ++i) task.handle.resume();
  task.handle.destroy();
  invisible_signal(&gate);
  return nullptr;
}

void* visitor(void*) {
  invisible_wait(&gate, 1);
  before[5] = 1;
  before[4] = 1; // RACE(before)
  after[4] = 1;
  after[3] = 1; // RACE(after)
  return nullptr;
}

} // namespace

int main() { run_two(walker, visitor); }
