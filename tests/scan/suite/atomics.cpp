// Atomics never race; they hand data from one thread to another, give a thread its turn, and are spin locks.
#include <atomic>
#include <mutex>
#include <thread>

// Written before the flag is set, read after it was seen.
class Published {
public:
  void start_ok() {
    first_ = std::thread(&Published::get_ok, this);
    second_ = std::thread(&Published::get_by_loop_ok, this);
  }
  void put_ok(int n) {
    data_ = n;
    ready_.store(true, std::memory_order_release);
  }

private:
  void get_ok() {
    if (ready_.load(std::memory_order_acquire)) use(data_);
  }
  void get_by_loop_ok() {
    while (!ready_) {
    }
    use(data_);
  }
  static void use(int) {}
  std::thread first_, second_;
  std::atomic<bool> ready_{false};
  int data_ = 0;
};

class PublishedTooEarly {
public:
  void start_ok() { thread_ = std::thread(&PublishedTooEarly::get_bad, this); }
  void put_bad(int n) {
    ready_ = true;
    data_ = n;
  }

private:
  void get_bad() {
    if (ready_) ++data_;
  }
  std::thread thread_;
  std::atomic<bool> ready_{false};
  int data_ = 0;
};

class ReadWhileNotReady {
public:
  void start_ok() { thread_ = std::thread(&ReadWhileNotReady::get_bad, this); }
  void put_bad(int n) {
    data_ = n;
    ready_ = true;
  }

private:
  void get_bad() {
    if (!ready_) ++data_;
  }
  std::thread thread_;
  std::atomic<bool> ready_{false};
  int data_ = 0;
};

class Relaxed {
public:
  void start_ok() { thread_ = std::thread(&Relaxed::get_bad, this); }
  void put_bad(int n) {
    data_ = n;
    ready_.store(true, std::memory_order_relaxed);
  }

private:
  void get_bad() {
    if (ready_.load(std::memory_order_relaxed)) ++data_;
  }
  std::thread thread_;
  std::atomic<bool> ready_{false};
  int data_ = 0;
};

// One flag is set, another one is looked at.
class OtherFlag {
public:
  void start_ok() { thread_ = std::thread(&OtherFlag::get_bad, this); }
  void put_bad(int n) {
    data_ = n;
    ++counter_;
  }

private:
  void get_bad() {
    if (ready_) ++data_;
  }
  std::thread thread_;
  std::atomic<bool> ready_{false};
  std::atomic<int> counter_{0};
  int data_ = 0;
};

// A thread that waits for its turn, works, and gives the turn back.
class Turns {
public:
  void start_ok() { thread_ = std::thread(&Turns::serve_ok, this); }
  int ask_ok(int n) {
    job_ = n;
    pending_.store(1);
    while (pending_.load() != 0) {
    }
    return answer_;
  }
  int last_ok() { return answer_; }

private:
  void serve_ok() {
    while (true) {
      while (pending_.load() == 0) {
      }
      answer_ = job_ + 1;
      pending_.store(0);
    }
  }
  std::thread thread_;
  std::atomic<int> pending_{0};
  int job_ = 0, answer_ = 0;
};

// A flag that only says when to stop hands nothing over.
class Stoppable {
public:
  void start_ok() { thread_ = std::thread(&Stoppable::run_bad, this); }
  void stop_ok() { stop_ = true; }
  int steps_bad() { return steps_; }

private:
  void run_bad() {
    while (!stop_) ++steps_;
  }
  std::thread thread_;
  std::atomic<bool> stop_{false};
  int steps_ = 0;
};

class SpinFlag {
public:
  void add_ok() {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
    ++count_;
    flag_.clear(std::memory_order_release);
  }
  int read_ok() {
    while (flag_.test_and_set()) {
    }
    int copy = count_;
    flag_.clear();
    return copy;
  }
  int read_after_bad() {
    while (flag_.test_and_set()) {
    }
    flag_.clear();
    return count_;
  }
  int read_bad() { return count_; }

private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
  int count_ = 0;
};

class SpinExchange {
public:
  void add_ok() {
    while (busy_.exchange(true)) {
    }
    ++count_;
    busy_ = false;
  }
  void add_after_bad() {
    while (busy_.exchange(true)) {
    }
    busy_ = false;
    ++count_;
  }

private:
  std::atomic<bool> busy_{false};
  int count_ = 0;
};

// The user's own lock: what it does with its fields is its business, and it protects like any other.
class SpinLock {
public:
  void lock() {
    while (taken_.exchange(true)) {
    }
    owner_ = 1;
  }
  void unlock() {
    owner_ = 0;
    taken_ = false;
  }

private:
  std::atomic<bool> taken_{false};
  int owner_ = 0;
};

class UsesSpinLock {
public:
  void add_ok() {
    std::lock_guard<SpinLock> guard(lock_);
    ++count_;
  }
  void add_by_hand_ok() {
    lock_.lock();
    ++count_;
    lock_.unlock();
  }
  int read_bad() { return count_; }

private:
  SpinLock lock_;
  int count_ = 0;
};

// C's functions and the compiler's.
class Builtins {
public:
  void start_ok() {
    first_ = std::thread(&Builtins::get_ok, this);
    second_ = std::thread(&Builtins::get_by_function_ok, this);
  }
  void put_ok(int n) {
    data_ = n;
    __atomic_store_n(&ready_, 1, __ATOMIC_RELEASE);
  }
  void put_by_function_ok(int n) {
    other_ = n;
    std::atomic_store(&flag_, 1);
  }

private:
  void get_ok() {
    if (__atomic_load_n(&ready_, __ATOMIC_ACQUIRE)) ++data_;
  }
  void get_by_function_ok() {
    if (std::atomic_load(&flag_)) ++other_;
  }
  std::thread first_, second_;
  int ready_ = 0;
  std::atomic<int> flag_{0};
  int data_ = 0, other_ = 0;
};

// Whoever sets the flag first does it, the others go away.
class ClosesOnce {
public:
  void start_ok() { thread_ = std::thread(&ClosesOnce::run_bad, this); }
  void close_ok() {
    if (closed_.exchange(true)) return;
    state_ = 1;
  }
  void close_by_flag_ok() {
    if (!flag_.test_and_set()) flagged_ = 1;
  }
  void close_by_compare_ok() {
    bool open = false;
    if (!compared_.compare_exchange_strong(open, true)) return;
    chosen_ = 1;
  }
  // Has not asked.
  int peek_bad() { return state_; }

private:
  void run_bad() {
    close_ok();
    close_by_flag_ok();
    close_by_compare_ok();
  }
  std::thread thread_;
  std::atomic<bool> closed_{false}, compared_{false};
  std::atomic_flag flag_;
  int state_ = 0, flagged_ = 0, chosen_ = 0;
};

// Those who come too late are not kept apart.
class CountsLate {
public:
  void start_ok() { thread_ = std::thread(&CountsLate::run_bad, this); }
  void close_bad() {
    if (closed_.exchange(true)) ++late_;
  }

private:
  void run_bad() {
    while (!closed_) {
    }
    close_bad();
  }
  std::thread thread_;
  std::atomic<bool> closed_{false};
  int late_ = 0;
};

// A flag that is given back lets the next one in; nobody else is expected to ask.
class Busy {
public:
  void try_ok() {
    if (busy_.exchange(true)) return;
    ++count_;
    busy_ = false;
  }
  int count_ok() { return count_; }

private:
  std::atomic<bool> busy_{false};
  int count_ = 0;
};
