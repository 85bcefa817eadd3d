// Locks of other libraries, known by their names: abseil, boost, Qt, folly, and the rest of the standard ones.
#include "other_locks.h"

#include <chrono>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>

class Abseil {
public:
  void mutex_lock_ok() {
    absl::MutexLock lock(&mutex_);
    ++value_;
  }
  int reader_lock_ok() {
    absl::ReaderMutexLock lock(&mutex_);
    return value_;
  }
  void writer_lock_ok() {
    absl::WriterMutexLock lock(&mutex_);
    ++value_;
  }
  void by_hand_ok() {
    mutex_.Lock();
    ++value_;
    mutex_.Unlock();
  }
  int reader_by_hand_ok() {
    mutex_.ReaderLock();
    int copy = value_;
    mutex_.ReaderUnlock();
    return copy;
  }
  void write_as_reader_bad() {
    absl::ReaderMutexLock lock(&mutex_);
    ++value_;
  }
  void asserted_ok() {
    mutex_.AssertHeld();
    ++value_;
  }
  int try_ok() {
    if (!mutex_.TryLock()) return 0;
    int copy = value_;
    mutex_.Unlock();
    return copy;
  }
  int no_lock_bad() { return value_; }
  int after_bad() {
    mutex_.Lock();
    mutex_.Unlock();
    return value_;
  }

private:
  absl::Mutex mutex_;
  int value_ = 0;
};

class Boost {
public:
  void lock_guard_ok() {
    boost::lock_guard<boost::mutex> guard(mutex_);
    ++value_;
  }
  void unique_lock_ok() {
    boost::unique_lock<boost::mutex> lock(mutex_);
    ++value_;
  }
  void scoped_lock_ok() {
    boost::mutex::scoped_lock lock(mutex_);
    ++value_;
  }
  void unlocked_bad() {
    boost::unique_lock<boost::mutex> lock(mutex_);
    lock.unlock();
    ++value_;
  }
  int no_lock_bad() { return value_; }

private:
  boost::mutex mutex_;
  int value_ = 0;
};

class BoostShared {
public:
  int shared_lock_ok() {
    boost::shared_lock<boost::shared_mutex> lock(mutex_);
    return value_;
  }
  void unique_lock_ok() {
    boost::unique_lock<boost::shared_mutex> lock(mutex_);
    ++value_;
  }
  void write_as_reader_bad() {
    boost::shared_lock<boost::shared_mutex> lock(mutex_);
    ++value_;
  }

private:
  boost::shared_mutex mutex_;
  int value_ = 0;
};

class Qt {
public:
  void locker_ok() {
    QMutexLocker lock(&mutex_);
    ++value_;
  }
  int no_lock_bad() { return value_; }

private:
  QMutex mutex_;
  int value_ = 0;
};

class Timed {
public:
  void set_ok() {
    std::lock_guard<std::timed_mutex> guard(mutex_);
    ++value_;
  }
  int try_for_ok() {
    if (!mutex_.try_lock_for(std::chrono::seconds(1))) return 0;
    int copy = value_;
    mutex_.unlock();
    return copy;
  }
  int gave_up_bad() {
    if (mutex_.try_lock_for(std::chrono::seconds(1))) {
      mutex_.unlock();
      return 0;
    }
    return value_;
  }

private:
  std::timed_mutex mutex_;
  int value_ = 0;
};

class SharedTimed {
public:
  void set_ok() {
    std::unique_lock<std::shared_timed_mutex> lock(mutex_);
    ++value_;
  }
  int get_ok() {
    std::shared_lock<std::shared_timed_mutex> lock(mutex_);
    return value_;
  }
  void set_as_reader_bad() {
    std::shared_lock<std::shared_timed_mutex> lock(mutex_);
    ++value_;
  }

private:
  std::shared_timed_mutex mutex_;
  int value_ = 0;
};

class Spinning {
public:
  Spinning() { pthread_spin_init(&lock_, 0); }
  void set_ok() {
    pthread_spin_lock(&lock_);
    ++value_;
    pthread_spin_unlock(&lock_);
  }
  int get_bad() { return value_; }

private:
  pthread_spinlock_t lock_;
  int value_ = 0;
};

// A guard of the user's own, without attributes: its constructor locks and its destructor unlocks.
class Holder {
public:
  explicit Holder(std::mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Holder() { mutex_.unlock(); }

private:
  std::mutex& mutex_;
};

class OwnGuard {
public:
  void set_ok() {
    Holder hold(mutex_);
    ++value_;
  }
  void set_after_bad() {
    {
      Holder hold(mutex_);
    }
    ++value_;
  }
  int get_bad() { return value_; }

private:
  std::mutex mutex_;
  int value_ = 0;
};

// A lock of the user's own around another: unlock() is called with it held.
class Traced {
public:
  void take() {
    mutex_.lock();
    holder_ = 1;
  }
  void give_back_ok() {
    holder_ = 0;
    mutex_.unlock();
  }
  int holder_bad() { return holder_; }

private:
  std::mutex mutex_;
  int holder_ = 0;
};

// Without its lock, the object is not shared.
class OptionalLock {
public:
  explicit OptionalLock(bool shared) : mutex_(shared ? new std::mutex : nullptr) {}
  void add_ok() {
    if (mutex_) {
      std::lock_guard<std::mutex> guard(*mutex_);
      ++value_;
    } else {
      ++value_;
    }
  }
  void add_after_bad() {
    if (mutex_ != nullptr) {
      std::lock_guard<std::mutex> guard(*mutex_);
      ++value_;
    }
    ++value_;
  }
  int read_bad() { return value_; }

private:
  std::mutex* mutex_;
  int value_ = 0;
};
