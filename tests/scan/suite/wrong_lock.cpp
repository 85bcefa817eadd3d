// Two locks that have nothing in common protect nothing; one common lock is enough.
#include <mutex>
#include <shared_mutex>

class TwoLocks {
public:
  void first_ok() {
    std::lock_guard<std::mutex> guard(first_);
    value_ = 1;
  }
  void second_bad() {
    std::lock_guard<std::mutex> guard(second_);
    value_ = 2;
  }
  int third_ok() {
    std::lock_guard<std::mutex> guard(first_);
    return value_;
  }
  void both_ok() {
    std::scoped_lock guard(first_, second_);
    value_ = 3;
  }

private:
  std::mutex first_, second_;
  int value_ = 0;
};

// What one thread must take while it holds its own lock, the other has: they never meet.
class Ordered {
public:
  void first_ok() {
    std::lock_guard<std::mutex> a(a_);
    {
      std::lock_guard<std::mutex> b(b_);
    }
    value_ = 1;
  }
  void second_ok() {
    std::lock_guard<std::mutex> b(b_);
    {
      std::lock_guard<std::mutex> a(a_);
    }
    value_ = 2;
  }

private:
  std::mutex a_, b_;
  int value_ = 0;
};

// Pointers to locks may be equal.
class Pointed {
public:
  Pointed(std::mutex* a, std::mutex* b) : a_(a), b_(b) {}
  void first_ok() {
    std::lock_guard<std::mutex> guard(*a_);
    value_ = 1;
  }
  void second_ok() {
    std::lock_guard<std::mutex> guard(*b_);
    value_ = 2;
  }
  void none_bad() { value_ = 3; }

private:
  std::mutex *a_, *b_;
  int value_ = 0;
};

std::mutex global_mutex;

class GlobalAndMember {
public:
  void global_bad() {
    std::lock_guard<std::mutex> guard(global_mutex);
    value_ = 1;
  }
  int member_read_ok() {
    std::lock_guard<std::mutex> guard(member_);
    return value_;
  }
  void member_ok() {
    std::lock_guard<std::mutex> guard(member_);
    value_ = 2;
  }

private:
  std::mutex member_;
  int value_ = 0;
};

class Statics {
public:
  void static_ok() {
    std::lock_guard<std::mutex> guard(shared_);
    value_ = 1;
  }
  void again_ok() {
    std::lock_guard<std::mutex> guard(Statics::shared_);
    value_ = 2;
  }
  int none_bad() { return value_; }

private:
  static std::mutex shared_;
  int value_ = 0;
};

class Readers {
public:
  void read_ok() {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    (void)value_;
  }
  void update_ok() {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    value_ = 1;
  }
  void cache_bad() {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    cache_ = value_;
  }

private:
  std::shared_mutex mutex_;
  int value_ = 0;
  int cache_ = 0;
};

// The own lock says nothing about the object that is handed in; both locks do. Order does not matter.
class Account {
public:
  void deposit_ok(int n) {
    std::lock_guard<std::mutex> guard(mutex_);
    balance_ += n;
  }
  void transfer_bad(Account& to, int n) {
    std::lock_guard<std::mutex> guard(mutex_);
    balance_ -= n;
    to.balance_ += n;
  }
  void transfer_ok(Account& to, int n) {
    std::scoped_lock guard(mutex_, to.mutex_);
    balance_ -= n;
    to.balance_ += n;
  }

private:
  std::mutex mutex_;
  int balance_ = 0;
};

// A lock beside what it protects, behind a pointer: pimpl.
class Hidden {
public:
  void set_ok(int n) {
    std::lock_guard<std::mutex> guard(parts_->mutex);
    parts_->value = n;
  }
  int get_bad() const { return parts_->value; }
  int get_ok() const {
    std::lock_guard<std::mutex> guard(parts_->mutex);
    return parts_->value;
  }

private:
  struct Parts {
    std::mutex mutex;
    int value = 0;
  };
  Parts* const parts_ = new Parts;
};
