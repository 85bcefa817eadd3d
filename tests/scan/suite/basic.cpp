// One lock, one class.
#include <mutex>

class Counter {
public:
  void set_ok(int n) {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = n;
  }
  int get_bad() { return value_; }
  int get_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return value_;
  }
  void clear_bad() { value_ = 0; }
  void increment_bad() { ++value_; }
  void add_bad(int n) { value_ += n; }
  int early_return_ok(bool early) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (early) return value_;
    return value_ + 1;
  }
  int after_scope_bad() {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      value_ = 1;
    }
    return value_;
  }
  int by_hand_ok() {
    mutex_.lock();
    int copy = value_;
    mutex_.unlock();
    return copy;
  }
  int after_unlock_bad() {
    mutex_.lock();
    mutex_.unlock();
    return value_;
  }
  void helper_with_lock_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    store(1);
  }
  void helper_without_lock_bad() { store(2); }
  int in_branch_bad(bool read) {
    if (read) return value_;
    return 0;
  }
  void in_loop_bad() {
    for (int i = 0; i < 10; ++i) value_ = i;
  }
  int other_field_ok() { return unshared_; }

private:
  void store(int n) { value_ = n; }

  std::mutex mutex_;
  int value_ = 0;
  int unshared_ = 0;
};
