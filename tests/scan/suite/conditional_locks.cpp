// Locks that are taken under a condition and given back under the same one, or by what a function tells by its result: after that
// they are not held, and in between they are.
#include <mutex>

class Optional {
public:
  explicit Optional(bool threaded) : threaded_(threaded) {}
  void set_ok(int n) {
    take();
    value_ = n;
    give();
  }
  int get_ok() {
    take();
    int n = value_;
    give();
    return n;
  }
  void late_bad(int n) {
    take();
    value_ = n;
    give();
    value_ = n + 1;
  }
  int direct_bad() { return value_; }

private:
  void take() {
    if (threaded_) mutex_.lock();
  }
  void give() {
    if (threaded_) mutex_.unlock();
  }
  const bool threaded_;
  std::mutex mutex_;
  int value_ = 0;
};

// The condition is a parameter: the lock does not outlive the function that has it.
class Command {
public:
  void run_bad(bool exclusive) {
    process(exclusive);
    ++done_;
  }
  int done_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return done_;
  }
  // Between the two conditions it is as if held.
  void count_ok(bool exclusive) {
    if (exclusive) mutex_.lock();
    ++count_;
    if (exclusive) mutex_.unlock();
  }
  int counted_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return count_;
  }

private:
  void process(bool exclusive) {
    if (exclusive) mutex_.lock();
    ++steps_;
    if (exclusive) mutex_.unlock();
  }
  std::mutex mutex_;
  int done_ = 0, count_ = 0, steps_ = 0;
};

// One exit has the lock for certain: callers that see its result hold it.
class Checked {
public:
  void use_ok() {
    if (!enter()) return;
    ++value_;
    mutex_.unlock();
  }
  int get_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return value_;
  }
  void close_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    closed_ = true;
  }
  int peek_bad() { return value_; }

private:
  bool enter() {
    if (never_) return false;
    mutex_.lock();
    if (closed_) {
      mutex_.unlock();
      return false;
    }
    return true;
  }
  const bool never_ = false;
  std::mutex mutex_;
  bool closed_ = false;
  int value_ = 0;
};

// One of many locks, behind a pointer that is told by the result and given back through it.
class Buckets {
public:
  void visit_ok(unsigned n) {
    if (std::mutex* lock = try_bucket(n)) {
      std::lock_guard<std::mutex> guard(all_);
      ++visits_;
      lock->unlock();
    }
  }
  void sweep_bad(unsigned n) {
    for (unsigned i = 0; i < n; ++i) visit_one(i);
    ++visits_;
  }
  int visits_ok() {
    std::lock_guard<std::mutex> guard(all_);
    return visits_;
  }

private:
  std::mutex* try_bucket(unsigned n) {
    std::mutex* lock = &buckets_[n % 8];
    if (lock->try_lock()) return lock;
    return nullptr;
  }
  void visit_one(unsigned n) {
    std::mutex* lock = try_bucket(n);
    if (!lock) return;
    ++swept_[n % 8];
    lock->unlock();
  }
  std::mutex buckets_[8], all_;
  int swept_[8] = {};
  int visits_ = 0;
};

// A guard that is given the lock or nothing, or one of two: it holds some lock, which is taken for the right one.
class OptionalGuard {
public:
  explicit OptionalGuard(std::mutex* mutex) : mutex_(mutex) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  ~OptionalGuard() {
    if (mutex_ != nullptr) mutex_->unlock();
  }

private:
  std::mutex* mutex_;
};

class Socket {
public:
  explicit Socket(bool shared) : shared_(shared) {}
  void connect_ok() {
    OptionalGuard guard(&mutex_);
    ++used_;
  }
  void end_ok() {
    OptionalGuard guard(shared_ ? &mutex_ : nullptr);
    ++used_;
  }
  void reset_ok() {
    OptionalGuard guard(!shared_ ? nullptr : &mutex_);
    used_ = 0;
  }
  void early_bad() {
    ++used_;
    OptionalGuard guard(shared_ ? &mutex_ : nullptr);
  }
  int choice_ok() {
    OptionalGuard guard(shared_ ? &mutex_ : &other_);
    return used_;
  }
  int reference_ok() {
    std::lock_guard<std::mutex> guard(shared_ ? mutex_ : other_);
    return used_;
  }

private:
  const bool shared_;
  std::mutex mutex_, other_;
  int used_ = 0;
};
