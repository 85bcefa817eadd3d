// Threads that the class starts itself; what happens before they start and after they end is ordered.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

class Worker {
public:
  void start_ok() {
    stop_ = false;
    result_ = 0;
    thread_ = std::thread(&Worker::run_bad, this);
  }
  void stop_bad() { stop_ = true; }
  int join_ok() {
    thread_.join();
    return result_;
  }
  int peek_bad() { return result_; }

private:
  void run_bad() {
    while (!stop_) ++local_;
    result_ = local_;
  }
  std::thread thread_;
  bool stop_ = false;
  int result_ = 0, local_ = 0;
};

class LambdaWorker {
public:
  void start_ok() {
    count_ = 0;
    thread_ = std::thread([this] { count_ = 1; });
  }
  int poll_bad() { return count_; }
  ~LambdaWorker() { thread_.join(); }

private:
  std::thread thread_;
  int count_ = 0;
};

class AtomicWorker {
public:
  void start_ok() { thread_ = std::thread(&AtomicWorker::run_ok, this); }
  void stop_ok() { stop_ = true; }
  bool stopped_ok() { return stop_.load(); }

private:
  void run_ok() {
    while (!stop_) {
    }
  }
  std::thread thread_;
  std::atomic<bool> stop_{false};
};

class Pool {
public:
  void start_ok(int n) {
    size_ = n;
    for (int i = 0; i < n; ++i) threads_.emplace_back([this] { work(); });
  }
  void resize_bad(int n) { size_ = n; }
  void finish_ok() {
    for (std::thread& thread : threads_) thread.join();
    size_ = 0;
  }

private:
  void work() {
    if (size_ > 3) return;
  }
  std::vector<std::thread> threads_;
  int size_ = 0;
};

class Async {
public:
  void start_ok() {
    future_ = std::async(std::launch::async, [this] { done_ = true; });
  }
  bool done_bad() { return done_; }
  bool wait_ok() {
    future_.get();
    return done_;
  }

private:
  std::future<void> future_;
  bool done_ = false;
};

class Posix {
public:
  void start_ok() { pthread_create(&thread_, nullptr, &Posix::entry_ok, this); }
  int read_ok() {
    pthread_mutex_lock(&mutex_);
    int copy = value_;
    pthread_mutex_unlock(&mutex_);
    return copy;
  }
  void write_ok() {
    pthread_mutex_lock(&mutex_);
    value_ = 1;
    pthread_mutex_unlock(&mutex_);
  }
  int read_bad() { return value_; }
  void try_ok() {
    if (pthread_mutex_trylock(&mutex_) == 0) {
      value_ = 2;
      pthread_mutex_unlock(&mutex_);
    }
  }
  void try_fails_bad() {
    if (pthread_mutex_trylock(&mutex_) != 0)
      value_ = 2;
    else
      pthread_mutex_unlock(&mutex_);
  }

private:
  static void* entry_ok(void* self) { return self; }
  pthread_t thread_;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  int value_ = 0;
};

class RwPosix {
public:
  void write_ok() {
    pthread_rwlock_wrlock(&lock_);
    value_ = 1;
    pthread_rwlock_unlock(&lock_);
  }
  int read_ok() {
    pthread_rwlock_rdlock(&lock_);
    int copy = value_;
    pthread_rwlock_unlock(&lock_);
    return copy;
  }
  void write_bad() {
    pthread_rwlock_rdlock(&lock_);
    value_ = 2;
    pthread_rwlock_unlock(&lock_);
  }

private:
  pthread_rwlock_t lock_ = PTHREAD_RWLOCK_INITIALIZER;
  int value_ = 0;
};

class Waits {
public:
  void put_ok(int n) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      value_ = n;
    }
    ready_.notify_one();
  }
  int wait_ok() {
    std::unique_lock<std::mutex> lock(mutex_);
    ready_.wait(lock, [this] { return value_ != 0; });
    return value_;
  }
  int wait_loop_ok() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (value_ == 0) ready_.wait(lock);
    return value_;
  }
  int after_wait_bad() {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      ready_.wait(lock);
    }
    return value_;
  }

private:
  std::mutex mutex_;
  std::condition_variable ready_;
  int value_ = 0;
};

class Once {
public:
  int get_ok() {
    std::call_once(flag_, [this] { value_ = 1; });
    return value_;
  }
  int read_bad() { return value_; }

private:
  std::once_flag flag_;
  int value_ = 0;
};

// The loop runs on a thread or on the caller's: users choose one of the two.
class EitherWay {
public:
  void start_ok() { run(); }
  void start_async_ok() {
    thread_ = std::thread([this] { run(); });
  }
  int peek_bad() { return state_; }

private:
  void run() { ++state_; }
  std::thread thread_;
  int state_ = 0;
};

// The thread does more than that.
class NotEitherWay {
public:
  void step_bad() { run(); }
  void start_ok() {
    thread_ = std::thread([this] {
      while (!stop_) run();
      finish();
    });
  }

private:
  void run() { ++state_; }
  void finish() { state_ = 0; }
  std::thread thread_;
  std::atomic<bool> stop_{false};
  int state_ = 0;
};

// A thread that keeps its object alive.
class Session : public std::enable_shared_from_this<Session> {
public:
  void start() {
    auto self = shared_from_this();
    thread_ = std::thread([self] { self->run(); });
  }
  int state() const { return state_; }
  int safe_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return safe_;
  }

private:
  void run() {
    state_ = 1;
    std::lock_guard<std::mutex> guard(mutex_);
    safe_ = 1;
  }
  std::mutex mutex_;
  int state_ = 0, safe_ = 0;
  std::thread thread_;
};
