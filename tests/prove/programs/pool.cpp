// A pool of threads: its destructor joins them, and what they use is destroyed after them also if the constructor throws.
// VERDICT: race-free
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
    for (std::thread& worker : workers_) worker.join();
  }
  void submit(int task) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      tasks_.push(task);
    }
    condition_.notify_one();
  }

private:
  void run() {
    while (true) {
      std::unique_lock<std::mutex> lock(mutex_);
      condition_.wait(lock, [this] { return is_stopped_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      sum_ += tasks_.front();
      tasks_.pop();
    }
  }

  std::mutex mutex_;
  std::condition_variable condition_;
  std::queue<int> tasks_;
  int sum_ = 0;
  bool is_stopped_ = false;
  std::vector<std::thread> workers_;
};

int main() {
  Pool pool(3);
  for (int i = 0; i < 9; i++) pool.submit(i);
}
