// The threads that were moved to another member are not joined.
// VERDICT: pairs
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
public:
  explicit Pool(int count) {
    for (int i = 0; i < count; i++) workers_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      is_stopped_ = true;
    }
    condition_.notify_all();
    retired_.swap(workers_);
    for (std::thread& worker : workers_) worker.join();
    steps_ = 0; // RACE
    for (std::thread& worker : retired_) worker.join();
  } // IMPRECISE
  void submit(int task) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      tasks_.push(task);
    }
    condition_.notify_one();
  }

private:
  void run() {
    steps_++; // RACE
    while (true) {
      std::unique_lock<std::mutex> lock(mutex_);
      condition_.wait(lock, [this] { return is_stopped_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      sum_ += tasks_.front(); // IMPRECISE
      tasks_.pop();           // IMPRECISE
    }
  }

  std::mutex mutex_;
  std::condition_variable condition_;
  std::queue<int> tasks_;
  int sum_ = 0;
  bool is_stopped_ = false;
  int steps_ = 0;
  std::vector<std::thread> workers_, retired_;
};

int main() {
  Pool pool(3);
  for (int i = 0; i < 9; i++) pool.submit(i);
}
