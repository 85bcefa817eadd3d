// Work that is given to others: thread pools, callbacks, queues; and threads that a function starts and waits for.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
public:
  Pool() {
    for (int i = 0; i < 4; ++i) threads_.emplace_back([this] { work(); });
  }
  template <class Task> void submit(Task task) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      tasks_.push(task);
    }
    ready_.notify_one();
  }

private:
  void work() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        ready_.wait(lock, [this] { return !tasks_.empty(); });
        task = tasks_.front();
        tasks_.pop();
      }
      task();
    }
  }
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::queue<std::function<void()>> tasks_;
};

class UsesPool {
public:
  void start_ok() {
    pool_.submit([this] { ++sum_; });
  }
  int poll_bad() { return sum_; }
  void start_locked_ok() {
    pool_.submit([this] {
      std::lock_guard<std::mutex> guard(mutex_);
      ++total_;
    });
  }
  int poll_locked_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return total_;
  }
  int poll_total_bad() { return total_; }

private:
  Pool pool_;
  std::mutex mutex_;
  int sum_ = 0, total_ = 0;
};

// Not a pool: it calls what it is given, and starts no thread.
class Visitor {
public:
  template <class Task> void submit(Task task) { task(); }
};

class UsesVisitor {
public:
  void visit_ok() {
    visitor_.submit([this] { ++count_; });
  }
  int count_ok() { return count_; }

private:
  Visitor visitor_;
  int count_ = 0;
};

// A closure that is stored is not called where it is stored.
class Queue {
public:
  void put_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    later_.push_back([this] { ++done_; });
    done_ = 0;
  }
  void run_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    done_ = 0;
  }
  int done_bad() { return done_; }

private:
  std::mutex mutex_;
  std::vector<std::function<void()>> later_;
  int done_ = 0;
};

// std::bind, and a class that wraps threads.
class Runner {
public:
  explicit Runner(std::function<void()> work) : work_(work) {}
  void start() {
    thread_ = std::thread([this] { work_(); });
  }

private:
  std::function<void()> work_;
  std::thread thread_;
};

class UsesRunner {
public:
  UsesRunner() : runner_(std::bind(&UsesRunner::run_bad, this)) {}
  int ticks_bad() { return ticks_; }

private:
  void run_bad() { ++ticks_; }
  Runner runner_;
  int ticks_ = 0;
};

// What is set before the start is set up; a class that starts its threads when it is made leaves no time for that.
class Configured {
public:
  void set_limit_ok(int n) { limit_ = n; }
  void start_ok() { thread_ = std::thread(&Configured::run_ok, this); }
  void reduce_bad(int n) { level_ = n; }

private:
  void run_ok() {
    if (limit_ > 3) return;
    if (level_ > 3) return;
  }
  std::thread thread_;
  int limit_ = 0, level_ = 0;
};

class StartedWhenMade {
public:
  StartedWhenMade() : thread_(&StartedWhenMade::run_ok, this) {}
  void set_limit_bad(int n) { limit_ = n; }

private:
  void run_ok() {
    if (limit_ > 3) return;
  }
  std::thread thread_;
  int limit_ = 0;
};

// Threads that are started and waited for inside of one function do not meet those of another.
namespace apart {
int results = 0, shared = 0;

void first_ok() {
  std::thread thread([] { ++results; });
  thread.join();
}
void second_ok() {
  std::jthread thread([] { ++results; });
}
void together() {
  std::thread one([] { ++shared; });
  std::thread two([] { ++shared; });
  one.join();
  two.join();
}
} // namespace apart
