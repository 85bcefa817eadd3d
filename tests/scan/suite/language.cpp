// What else C++ has: callable objects, references in wrappers, moves, weak pointers, arrays, start-up, the rarer locks.
#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <threads.h>
#include <tuple>
#include <utility>

class CallOperator {
public:
  void operator()() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++calls_;
  }
  void call_ok() { (*this)(); }
  int calls_bad() { return calls_; }

private:
  std::mutex mutex_;
  int calls_ = 0;
};

class Moves {
public:
  void put_ok(std::string text) {
    std::lock_guard<std::mutex> guard(mutex_);
    text_ = std::move(text);
  }
  std::string take_bad() { return std::move(text_); }
  std::string exchange_bad() { return std::exchange(text_, ""); }
  std::string take_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return std::move(text_);
  }
  Moves& operator=(Moves&& other) {
    std::scoped_lock guard(mutex_, other.mutex_);
    text_ = std::move(other.text_);
    return *this;
  }

private:
  std::mutex mutex_;
  std::string text_;
};

class WeakPointers {
public:
  void watch_ok(const std::shared_ptr<int>& owner) {
    std::lock_guard<std::mutex> guard(mutex_);
    watched_ = owner;
  }
  bool expired_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return watched_.expired();
  }
  void forget_bad() { watched_.reset(); }

private:
  std::mutex mutex_;
  std::weak_ptr<int> watched_;
};

class Arrays {
public:
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    plain_[0] = 1;
    wrapped_.fill(1);
    std::get<0>(pair_) = 1;
  }
  int plain_bad() { return plain_[0]; }
  int another_element_ok() { return plain_[1]; }
  void wrapped_bad() { wrapped_.fill(2); }

private:
  std::mutex mutex_;
  int plain_[2] = {};
  std::array<int, 2> wrapped_ = {};
  std::tuple<int, int> pair_;
};

class References {
public:
  explicit References(int& counter) : counter_(counter) {}
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++counter_;
  }
  int read_bad() { return counter_; }
  int bound_bad() {
    int& alias = counter_;
    return alias;
  }
  int bound_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    const int& alias = counter_;
    return alias;
  }

private:
  std::mutex mutex_;
  int& counter_;
};

class ThreadArguments {
public:
  void start_ok() { thread_ = std::thread(&ThreadArguments::run_bad, std::ref(*this)); }
  int progress_bad() { return progress_; }

private:
  void run_bad() { ++progress_; }
  std::thread thread_;
  int progress_ = 0;
};

class RareLocks {
public:
  void recursive_timed_ok() {
    std::lock_guard<std::recursive_timed_mutex> guard(recursive_timed_);
    std::lock_guard<std::recursive_timed_mutex> again(recursive_timed_);
    a_ = 1;
  }
  int recursive_timed_bad() { return a_; }
  void c11_ok() {
    mtx_lock(&c11_);
    b_ = 1;
    mtx_unlock(&c11_);
  }
  int c11_bad() {
    mtx_lock(&c11_);
    mtx_unlock(&c11_);
    return b_;
  }
  void any_wait_ok() {
    std::unique_lock<std::recursive_timed_mutex> lock(recursive_timed_);
    changed_.wait(lock, [this] { return a_ != 0; });
    a_ = 0;
  }

private:
  std::recursive_timed_mutex recursive_timed_;
  std::condition_variable_any changed_;
  mtx_t c11_;
  int a_ = 0, b_ = 0;
};

// Everything in a guard of one's own: the constructor locks, the destructor unlocks.
class Critical {
public:
  explicit Critical(std::mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Critical() { mutex_.unlock(); }

private:
  std::mutex& mutex_;
};
class UsesCritical {
public:
  void write_ok() {
    Critical section(mutex_);
    value_ = 1;
  }
  int read_bad() {
    {
      Critical section(mutex_);
    }
    return value_;
  }
  int read_ok() {
    Critical section(mutex_);
    return value_;
  }

private:
  std::mutex mutex_;
  int value_ = 0;
};

// What is set before there are threads, by static initialisers or by what only they call, is ready.
namespace startup {
std::mutex mutex;
int table = 0;
static int fill() { return table = 1; }
static int filled = fill();
int get_ok() {
  std::lock_guard<std::mutex> guard(mutex);
  return table + filled;
}
void refill_bad() { table = 2; }
void refill_ok() {
  std::lock_guard<std::mutex> guard(mutex);
  table = 3;
}
} // namespace startup

// Once, then read by all: a write afterwards is one that nothing excludes.
class OnceOnly {
public:
  int get_ok() {
    std::call_once(flag_, [this] { value_ = 1; });
    return value_;
  }
  void change_bad() {
    std::call_once(flag_, [this] { value_ = 1; });
    value_ = 2;
  }

private:
  std::once_flag flag_;
  int value_ = 0;
};

// A function-local static and a thread_local.
int& shared_counter() {
  static int counter = 0;
  return counter;
}
std::mutex counter_mutex;
void count_ok() {
  std::lock_guard<std::mutex> guard(counter_mutex);
  ++shared_counter();
}
void count_bad() { ++shared_counter(); }
int per_thread_ok() {
  thread_local int calls = 0;
  return ++calls;
}
