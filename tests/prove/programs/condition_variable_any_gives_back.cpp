// The lock is not held while it waits, so what it guards is not all that is done under it.
// VERDICT: pairs
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

int data;
std::mutex mutex, other;
std::condition_variable_any condition;

void wait_once() {
  std::unique_lock<std::mutex> lock(mutex);
  if (condition.wait_for(lock, std::chrono::milliseconds(1)) == std::cv_status::timeout) lock.unlock();
  data++; // RACE
}

int main() {
  std::thread thread(wait_once);
  wait_once();
  thread.join();
}
