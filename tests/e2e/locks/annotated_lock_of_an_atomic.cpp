// RUN: %e2e %s
// A lock that the program annotates at its own address, where a relaxed atomic lies: stores to the atomic say nothing about the lock. Without the
// annotations they order nothing.
#include "e2e.h"
#include <atomic>
#include <sanitizer/tsan_interface.h>

class Lock {
public:
  void lock() {
    __tsan_mutex_pre_lock(this, 0);
    while (held_.exchange(true, std::memory_order_relaxed)) {
    }
    __tsan_mutex_post_lock(this, 0, 0);
  }
  void unlock() {
    __tsan_mutex_pre_unlock(this, 0);
    held_.store(false, std::memory_order_relaxed);
    __tsan_mutex_post_unlock(this, 0);
  }
  void set_quietly() { held_.store(false, std::memory_order_relaxed); }

private:
  std::atomic<bool> held_{false};
};

static Lock lock, other;
int guarded, unguarded;
static InvisibleGate gate;

static void* first(void*) {
  for (int i = 0; i < 100; ++i) {
    lock.lock();
    ++guarded; // NORACE
    lock.unlock();
  }
  unguarded = 1; // RACE
  other.set_quietly();
  invisible_signal(&gate);
  return nullptr;
}
static void* second(void*) {
  for (int i = 0; i < 100; ++i) {
    lock.lock();
    ++guarded; // NORACE
    lock.unlock();
  }
  invisible_wait(&gate, 1);
  other.set_quietly();
  unguarded = 2; // RACE
  return nullptr;
}

int main() { run_two(first, second); }
