// Whose lock it is: what a lock that is held says about the object that is used meanwhile.
#include <map>
#include <mutex>
#include <string>

// A base class knows nothing of the locks of those that derive from it.
class Base {
public:
  virtual ~Base() = default;
  void count_ok() { ++count_; }
  void process_ok() { handle(); }

protected:
  virtual void handle() {}
  virtual void attach() {}
  int count_ = 0;
};
class Derived : public Base {
public:
  void add_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++count_;
    value_ = last_ = 1;
  }
  void own_bad() { ++value_; }
  void own_of_base_bad() { ++count_; }
  void attach() override { last_ = 2; } // as the one that it overrides, not for others

protected:
  void handle() override { value_ = 2; }

private:
  std::mutex mutex_;
  int value_ = 0, last_ = 0;
};
// But those that derive know the locks of their base.
class LockedBase {
public:
  virtual ~LockedBase() = default;
  void set_ok(int n) {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = n;
  }

protected:
  std::mutex mutex_;
  int value_ = 0;
};
class User : public LockedBase {
public:
  int value_bad() { return value_; }
};

// A lock that is taken only if the object is shared does not say that it is; a method that takes it too knows.
class OptionalGuard {
public:
  explicit OptionalGuard(std::mutex* mutex) : mutex_(mutex) {
    if (mutex_) mutex_->lock();
  }
  ~OptionalGuard() {
    if (mutex_) mutex_->unlock();
  }

private:
  std::mutex* mutex_;
};
class Channel {
public:
  void connect_ok() {
    OptionalGuard guard(&mutex_);
    ++used_;
  }
  void send_ok() {
    OptionalGuard guard(shared_ ? &mutex_ : nullptr);
    ++used_;
  }
  void on_event_ok() { ++used_; }
  int used_too_early_bad() {
    int copy = used_;
    OptionalGuard guard(shared_ ? &mutex_ : nullptr);
    return copy + used_;
  }

private:
  bool shared_ = false;
  std::mutex mutex_;
  int used_ = 0;
};

// A class that can be locked and does other things as well is no lock: its methods are looked at.
class Account {
public:
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  void deposit_ok(int n) {
    std::lock_guard<Account> guard(*this);
    balance_ += n;
  }
  void withdraw_ok(int n) {
    lock();
    balance_ -= n;
    unlock();
  }
  int balance_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return balance_;
  }
  int balance_bad() { return balance_; }

private:
  std::mutex mutex_;
  int balance_ = 0;
};
// A lock is: what it does with its fields is its own business.
class Counting {
public:
  void lock() {
    mutex_.lock();
    ++uses_;
  }
  void unlock() { mutex_.unlock(); }
  int uses_ok() const { return uses_; }

private:
  std::mutex mutex_;
  int uses_ = 0;
};

// The lock of another object, which is global, is there for that object.
class Sessions {
public:
  void store_ok(const std::string& name) {
    std::lock_guard<std::mutex> guard(mutex_);
    known_[name] = 1;
  }

private:
  std::mutex mutex_;
  std::map<std::string, int> known_;
};
static Sessions sessions;
class Connection {
public:
  void finish_ok() { sessions.store_ok(name_); }
  void rename_ok(const std::string& name) { name_ = name; }

private:
  std::string name_;
};
// One that the methods name themselves is meant for what they do.
struct Globals {
  std::mutex mutex;
  int count = 0;
};
static Globals globals;
class Registered {
public:
  void add_ok() {
    std::lock_guard<std::mutex> guard(globals.mutex);
    ++number_;
  }
  int number_bad() { return number_; }

private:
  int number_ = 0;
};

// One thread writes into a buffer, whoever calls it; the lock is there for its readers.
class Buffer {
public:
  void write_ok(int n) {
    back_ = n;
    std::lock_guard<std::mutex> guard(mutex_);
    front_ = back_;
  }
  int read_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return front_;
  }

private:
  std::mutex mutex_;
  int back_ = 0, front_ = 0;
};
class Pipe {
public:
  void send_ok(int n) { out_.write_ok(n); }
  void hello_ok() { out_.write_ok(0); }

private:
  Buffer out_;
};
