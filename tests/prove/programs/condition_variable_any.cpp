// VERDICT: race-free
#include <condition_variable>
#include <mutex>
#include <thread>

int data;
bool ready;
std::mutex mutex;
std::condition_variable_any condition;

int main() {
  std::thread thread([] {
    std::lock_guard<std::mutex> guard(mutex);
    data = 42;
    ready = true;
    condition.notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [] { return ready; });
  }
  data++;
  thread.join();
  return data;
}
