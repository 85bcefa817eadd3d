// Every guard of the standard library, and what it can be told.
#include <mutex>
#include <shared_mutex>

class Guards {
public:
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
  }
  int lock_guard_ok() {
    std::lock_guard guard(mutex_);
    return value_;
  }
  int unique_lock_ok() {
    std::unique_lock<std::mutex> lock(mutex_);
    return value_;
  }
  int unique_lock_unlocked_bad() {
    std::unique_lock<std::mutex> lock(mutex_);
    lock.unlock();
    return value_;
  }
  int unique_lock_relocked_ok() {
    std::unique_lock<std::mutex> lock(mutex_);
    lock.unlock();
    lock.lock();
    return value_;
  }
  int deferred_bad() {
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    return value_;
  }
  int deferred_then_locked_ok() {
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    lock.lock();
    return value_;
  }
  int deferred_std_lock_ok() {
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    std::unique_lock<std::mutex> other(other_, std::defer_lock);
    std::lock(lock, other);
    return value_;
  }
  int adopted_ok() {
    mutex_.lock();
    std::lock_guard<std::mutex> guard(mutex_, std::adopt_lock);
    return value_;
  }
  int adopted_ends_bad() {
    mutex_.lock();
    {
      std::lock_guard<std::mutex> guard(mutex_, std::adopt_lock);
    }
    return value_;
  }
  int std_lock_adopted_ok() {
    std::lock(mutex_, other_);
    std::lock_guard<std::mutex> a(mutex_, std::adopt_lock);
    std::lock_guard<std::mutex> b(other_, std::adopt_lock);
    return value_;
  }
  int try_to_lock_ok() {
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return 0;
    return value_;
  }
  int scoped_lock_ok() {
    std::scoped_lock lock(mutex_, other_);
    return value_;
  }
  int scoped_lock_of_other_bad() {
    std::scoped_lock lock(other_);
    return value_;
  }
  int temporary_guard_bad() {
    std::lock_guard<std::mutex>{mutex_};
    return value_;
  }
  int guard_in_condition_ok() {
    if (std::unique_lock<std::mutex> lock{mutex_}; true) return value_;
    return 0;
  }
  int after_guard_in_condition_bad() {
    if (std::unique_lock<std::mutex> lock{mutex_}; lock) value_ = 2;
    return value_;
  }
  int two_exits_ok(int n) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (int i = 0; i < n; ++i)
      if (value_ == i) return value_;
    lock.unlock();
    return 0;
  }
  int break_out_ok() {
    int result = 0;
    while (true) {
      std::lock_guard<std::mutex> guard(mutex_);
      if (value_) {
        result = value_;
        break;
      }
    }
    return result;
  }
  int after_loop_bad() {
    while (true) {
      std::lock_guard<std::mutex> guard(mutex_);
      if (value_) break;
    }
    return value_;
  }

private:
  std::mutex mutex_, other_;
  int value_ = 0;
};

class Shared {
public:
  void write_ok() {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    value_ = 1;
  }
  int shared_lock_ok() {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    return value_;
  }
  void write_with_shared_bad() {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    value_ = 2;
  }
  int lock_shared_ok() {
    mutex_.lock_shared();
    int copy = value_;
    mutex_.unlock_shared();
    return copy;
  }
  int no_lock_bad() { return value_; }

private:
  std::shared_mutex mutex_;
  int value_ = 0;
};

class Recursive {
public:
  void outer_ok() {
    std::lock_guard<std::recursive_mutex> guard(mutex_);
    inner_ok();
    value_ = 2;
  }
  void inner_ok() {
    std::lock_guard<std::recursive_mutex> guard(mutex_);
    value_ = 1;
  }
  int read_bad() { return value_; }

private:
  std::recursive_mutex mutex_;
  int value_ = 0;
};

class Timed {
public:
  void write_ok() {
    if (mutex_.try_lock()) {
      value_ = 1;
      mutex_.unlock();
    }
  }
  void not_taken_ok() {
    if (!mutex_.try_lock()) return;
    value_ = 2;
    mutex_.unlock();
  }
  void taken_or_not_bad() {
    if (mutex_.try_lock())
      mutex_.unlock();
    else
      value_ = 3;
  }

private:
  std::timed_mutex mutex_;
  int value_ = 0;
};

class Tried {
public:
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
  }
  int owns_ok() {
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) return value_;
    return 0;
  }
  int owns_not_bad() {
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return value_;
    return 0;
  }
  int if_lock_ok() {
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (lock) return value_;
    return 0;
  }
  int if_not_lock_bad() {
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (lock) return 0;
    return value_;
  }
  int deferred_try_bad() {
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    if (lock.try_lock()) return 0;
    return value_;
  }

private:
  std::mutex mutex_;
  int value_ = 0;
};

// The user's own guard, known by its body.
class MyGuard {
public:
  explicit MyGuard(std::mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MyGuard() { mutex_.unlock(); }

private:
  std::mutex& mutex_;
};

class OwnGuard {
public:
  void write_ok() {
    MyGuard guard(mutex_);
    value_ = 1;
  }
  int read_ok() {
    MyGuard guard(mutex_);
    return value_;
  }
  int read_bad() { return value_; }
  int after_bad() {
    {
      MyGuard guard(mutex_);
    }
    return value_;
  }

private:
  std::mutex mutex_;
  int value_ = 0;
};

// Functions that lock for their caller.
class Wrapped {
public:
  void write_ok() {
    acquire();
    value_ = 1;
    release();
  }
  int read_ok() {
    acquire();
    int copy = value_;
    release();
    return copy;
  }
  int after_release_bad() {
    acquire();
    release();
    return value_;
  }

private:
  void acquire() { mutex_.lock(); }
  void release() { mutex_.unlock(); }
  std::mutex mutex_;
  int value_ = 0;
};
