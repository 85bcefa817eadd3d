// The twin of cxx_threads.cpp: one side does not lock.
// VERDICT: pairs
#include <mutex>
#include <thread>

std::mutex lock;
int shared;

int main() {
  std::thread other([] {
    std::lock_guard<std::mutex> guard(lock);
    shared++; // RACE
  });
  shared++; // RACE
  other.join();
  return 0;
}
