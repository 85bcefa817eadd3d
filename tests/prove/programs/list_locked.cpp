// VERDICT: race-free by global-lock
// Lists are linked by code of the library.
#include <list>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::list<int> numbers, others;

static void work() {
  std::lock_guard<std::mutex> guard(mutex);
  numbers.push_back(1);
  numbers.splice(numbers.end(), others);
  numbers.front()++;
}

int main() {
  std::thread thread(work);
  {
    std::lock_guard<std::mutex> guard(mutex);
    others.push_back(3);
    others.swap(numbers);
    numbers.reverse();
    numbers.pop_front();
  }
  thread.join();
  return numbers.front();
}
