// RUN: %e2e %s
// The mutexes of <mutex> and <shared_mutex> and their guards protect data.
#include "e2e.h"
#include <mutex>
#include <shared_mutex>

static std::mutex one, two;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::shared_timed_mutex shared_timed;
int data[6];

static void* body(void* argument) {
  for (int i = 0; i < 100; ++i) {
    {
      std::scoped_lock both(one, two);
      ++data[0]; // NORACE
    }
    {
      std::unique_lock<std::mutex> a(one, std::defer_lock), b(two, std::defer_lock);
      argument ? std::lock(a, b) : std::lock(b, a);
      ++data[0]; // NORACE
    }
    {
      std::lock_guard<std::recursive_mutex> outer(recursive), inner(recursive);
      ++data[1]; // NORACE
    }
    if (std::unique_lock lock(timed, std::chrono::seconds(20)); lock) ++data[2];            // NORACE
    if (std::shared_lock lock(shared); lock) KEEP(data[3]);                                 // NORACE
    if (std::unique_lock lock(shared); lock) ++data[3];                                     // NORACE
    if (std::shared_lock lock(shared_timed, std::chrono::seconds(20)); lock) KEEP(data[4]); // NORACE
    if (std::unique_lock lock(shared_timed); lock) ++data[4];                               // NORACE
  }
  return nullptr;
}

int main() {
  run_many(2, body);
  require(data[0] == 400 && data[1] == 200 && data[2] == 200 && data[3] == 200 && data[4] == 200,
          "they exclude");
}
