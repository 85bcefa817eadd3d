// Tasks that are kept in queues: active objects, workers with one thread, and what only one thread ever calls.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

template <class T> class Queue {
public:
  void push(T value) {
    std::lock_guard<std::mutex> guard(mutex_);
    values_.push_back(std::move(value));
    filled_.notify_one();
  }
  std::optional<T> pop() {
    std::unique_lock<std::mutex> guard(mutex_);
    filled_.wait(guard, [this] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }
  void close() {
    std::lock_guard<std::mutex> guard(mutex_);
    closed_ = true;
    filled_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<T> values_;
  bool closed_ = false;
};

// An active object: its thread takes from the queue what its methods put there.
class Active {
public:
  Active()
      : thread_([this] {
          while (auto task = tasks_.pop()) (*task)();
        }) {}
  ~Active() {
    tasks_.close();
    thread_.join();
  }
  void up_ok() {
    tasks_.push([this] { ++value_; });
  }
  void down_ok() {
    tasks_.push([this] { --value_; });
  }

private:
  int value_ = 0;
  Queue<std::function<void()>> tasks_;
  std::thread thread_;
};
// Others read what the thread writes.
class Watched {
public:
  Watched()
      : thread_([this] {
          while (auto task = tasks_.pop()) (*task)();
        }) {}
  ~Watched() {
    tasks_.close();
    thread_.join();
  }
  void up() { tasks_.push(std::bind(&Watched::up_bad, this)); }
  int value_ok() const { return value_; }

private:
  void up_bad() { ++value_; }
  int value_ = 0;
  Queue<std::function<void()>> tasks_;
  std::thread thread_;
};

// One thread does one task after the other, whoever gives them.
class Worker {
public:
  Worker() : thread_([this] { run(); }) {}
  void post(std::function<void()> task) { tasks_.push(std::move(task)); }
  void stop() {
    tasks_.close();
    thread_.join();
  }

private:
  void run() {
    while (auto task = tasks_.pop()) (*task)();
  }
  Queue<std::function<void()>> tasks_;
  std::thread thread_;
};
class Strand {
public:
  void add_ok() {
    worker_.post([this] { ++sum_; });
  }
  void clear_ok() {
    worker_.post([this] { sum_ = 0; });
  }

private:
  int sum_ = 0;
  Worker worker_;
};

// Several threads do not.
class Workers {
public:
  Workers() {
    for (int i = 0; i < 4; ++i) threads_.emplace_back([this] { run(); });
  }
  void post(std::function<void()> task) { tasks_.push(std::move(task)); }
  void stop() {
    tasks_.close();
    for (std::thread& thread : threads_) thread.join();
  }

private:
  void run() {
    while (auto task = tasks_.pop()) (*task)();
  }
  Queue<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
};
class Unordered {
public:
  void add() { workers_.post(std::bind(&Unordered::add_bad, this)); }
  void clear() { workers_.post(std::bind(&Unordered::clear_ok, this)); }

private:
  void add_bad() { ++sum_; }
  void clear_ok() { sum_ = 0; }
  int sum_ = 0;
  Workers workers_;
};

// What its only thread does before and after it has a lock, it does in order.
class Poller {
public:
  Poller() : thread_([this] { run_ok(); }) {}
  ~Poller() { thread_.join(); }
  void run_ok() {
    handle_ = 3;
    for (int i = 0; i < 9; ++i) {
      std::lock_guard<std::mutex> guard(mutex_);
      pending_ += handle_;
    }
  }
  int pending_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return pending_;
  }

private:
  std::mutex mutex_;
  int handle_ = 0, pending_ = 0;
  std::thread thread_;
};

// One method has both: the lock is there for the list that others fill. Where it is there for nothing else, it is meant.
class Scheduler {
public:
  void add_ok(int task) {
    std::lock_guard<std::mutex> guard(mutex_);
    added_.push_back(task);
  }
  void iterate_ok() {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      for (int task : added_) last_ = task;
      added_.clear();
    }
    if (last_ > 0) last_ = 0;
  }

private:
  std::mutex mutex_;
  std::vector<int> added_;
  int last_ = 0;
};
class Total {
public:
  void add_bad(int n) {
    sum_ += n;
    std::lock_guard<std::mutex> guard(mutex_);
    if (sum_ > limit_) limit_ = sum_;
  }

private:
  std::mutex mutex_;
  int sum_ = 0, limit_ = 0;
};

// A call of a method that is reported is nothing new.
class Registry {
public:
  void put_ok(int value) {
    std::lock_guard<std::mutex> guard(mutex_);
    last_ = value;
  }
  void put_unlocked_bad(int value) { last_ = value; }

private:
  std::mutex mutex_;
  int last_ = 0;
};
class Owner {
public:
  void put_ok(int value) { registry_.put_ok(value); }
  void put_fast_ok(int value) { registry_.put_unlocked_bad(value); }

private:
  Registry registry_;
};
