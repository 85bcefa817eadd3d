// Ways out of a function and out of a scope that are not its end: return in a switch, exceptions and their handlers.
#include <future>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

void work();
void report(const std::exception& error);

// The cases of a switch come before the block that has the guard, in clang's order.
class Switches {
public:
  int choose_ok(int n) {
    std::lock_guard<std::mutex> guard(mutex_);
    switch (n) {
    case 0:
      return 1;
    case 1: {
      std::lock_guard<std::mutex> inner(other_);
      return 2;
    }
    default:
      total_ = n;
    }
    return 3;
  }
  int choose_in_loop_ok() {
    for (;;) {
      std::lock_guard<std::mutex> guard(mutex_);
      switch (total_) {
      case 0:
        continue;
      case 1:
        return 1;
      default:
        ++total_;
      }
    }
  }
  void after_switch_bad(int n) {
    choose_ok(n);
    total_ = 5;
  }
  void after_loop_bad() {
    choose_in_loop_ok();
    total_ = 6;
  }

private:
  std::mutex mutex_, other_;
  int total_ = 0;
};

class Throws {
public:
  int checked_ok(int n) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (n < 0) throw std::runtime_error("negative");
    return total_ = n;
  }
  // What is thrown and not caught does not come back with the lock.
  void after_throw_bad(int n) {
    checked_ok(n);
    total_ = 5;
  }
  void caught_ok(int n) {
    try {
      std::lock_guard<std::mutex> guard(mutex_);
      if (n < 0) throw std::runtime_error("negative");
      total_ = n;
    } catch (const std::exception& error) {
      report(error);
    }
  }
  void after_catch_bad(int n) {
    caught_ok(n);
    total_ = 6;
  }
  // The guard has ended where the handler runs.
  void in_handler_bad(int n) {
    try {
      std::lock_guard<std::mutex> guard(mutex_);
      total_ = n;
      work();
    } catch (...) {
      total_ = 0;
    }
  }
  void in_last_handler_bad(int n) {
    try {
      checked_ok(n);
    } catch (const std::logic_error&) {
      std::lock_guard<std::mutex> guard(mutex_);
      total_ = 1;
    } catch (const std::exception&) {
      total_ = 2;
    }
  }
  void guard_around_try_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    try {
      work();
    } catch (...) {
      total_ = 3;
    }
    total_ = 4;
  }
  void guard_in_the_same_block_ok(int n) {
    try {
      std::lock_guard<std::mutex> guard(mutex_);
      total_ = n;
      try {
        work();
      } catch (const std::logic_error&) {
        total_ = 8;
      }
      total_ = 9;
    } catch (...) {
    }
  }
  void guard_in_handler_ok() {
    try {
      work();
    } catch (...) {
      std::lock_guard<std::mutex> guard(mutex_);
      total_ = 7;
    }
  }

private:
  std::mutex mutex_;
  int total_ = 0;
};

// Locks without guards: the handler gives back what was taken.
class ByHand {
public:
  void handler_unlocks_ok() {
    try {
      mutex_.lock();
      value_ = 1;
      work();
      mutex_.unlock();
    } catch (...) {
      value_ = 0; // the lock is held
      mutex_.unlock();
      throw;
    }
  }
  int read_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return value_;
  }
  int after_handler_bad() {
    handler_unlocks_ok();
    return value_;
  }

private:
  std::mutex mutex_;
  int value_ = 0;
};

// The user's own guard, known by what its functions do.
class Holder {
public:
  explicit Holder(std::mutex& mutex) : mutex_(&mutex) { mutex_->lock(); }
  ~Holder() { mutex_->unlock(); }

private:
  std::mutex* mutex_;
};
class OwnGuards {
public:
  void caught_ok(int n) {
    try {
      Holder holder(mutex_);
      work();
      value_ = n;
    } catch (...) {
    }
  }
  void in_handler_bad() {
    try {
      Holder holder(mutex_);
      work();
    } catch (...) {
      value_ = 0;
    }
  }
  int after_catch_bad() {
    caught_ok(1);
    return value_;
  }

private:
  std::mutex mutex_;
  int value_ = 0;
};

// What goes on to an outer try unwinds what lies between.
class Nested {
public:
  void outer_handler_bad(int n) {
    try {
      std::lock_guard<std::mutex> guard(mutex_);
      try {
        work();
      } catch (const std::logic_error&) {
        value_ = n;
        throw;
      }
    } catch (...) {
      value_ = 0;
    }
  }
  int read_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return value_;
  }

private:
  std::mutex mutex_;
  int value_ = 0;
};

// A function that always throws ends nothing but itself.
[[noreturn]] void fail(const char* text) { throw std::runtime_error(text); }
class Fails {
public:
  void count_failures_bad(int n) {
    try {
      if (n == 0) {
        ++failures_;
        fail("zero");
      }
    } catch (...) {
    }
  }
  int failures_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return failures_;
  }

private:
  std::mutex mutex_;
  int failures_ = 0;
};

// A function whose body is a try.
class Whole {
public:
  void run_bad() try {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
    work();
  } catch (...) {
    value_ = 2;
  }

private:
  std::mutex mutex_;
  int value_ = 0;
};

// Threads in the body of a try: in its handler nobody knows which of them run.
int waited_in_body_ok() {
  int result = 0;
  auto future = std::async(std::launch::async, [&] { result = 1; });
  try {
    future.get();
  } catch (...) {
    result = 2;
  }
  return result;
}
int started_in_body_ok() {
  int result = 0;
  std::thread thread;
  try {
    thread = std::thread([&] { result = 1; });
  } catch (const std::system_error&) {
    result = 2; // there is no thread
  }
  if (thread.joinable()) thread.join();
  return result;
}
int after_the_try_bad() {
  int result = 0;
  std::thread thread;
  try {
    thread = std::thread([&] { result = 1; });
  } catch (const std::system_error&) {
    return -1;
  }
  ++result;
  thread.join();
  return result;
}
int started_before_bad() {
  int result = 0;
  std::thread thread([&] { result = 1; });
  try {
    work();
  } catch (...) {
    result = 2;
  }
  thread.join();
  return result;
}
