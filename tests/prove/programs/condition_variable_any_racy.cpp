// The wait gives the lock back: what was read before it may have changed.
// VERDICT: pairs
#include <condition_variable>
#include <mutex>
#include <thread>

int data;
bool ready;
std::mutex mutex;
std::condition_variable_any condition;

int main() {
  std::thread thread([] {
    {
      std::lock_guard<std::mutex> guard(mutex);
      ready = true;
      condition.notify_one();
    }
    data = 42; // RACE
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [] { return ready; });
  }
  data++; // RACE
  thread.join();
  return data;
}
