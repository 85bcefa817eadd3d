// RUN: %e2e %s
// C++20 atomic wait and notify: the load inside wait() acquires.
#include "e2e.h"
#include <atomic>

static std::atomic<int> flag{0};
int data;

static void* writer(void*) {
  data = 1; // NORACE
  flag.store(1, std::memory_order_release);
  flag.notify_all();
  return nullptr;
}

static void* reader(void*) {
  flag.wait(0, std::memory_order_acquire);
  KEEP(data); // NORACE
  return nullptr;
}

int main() { run_two(writer, reader); }
