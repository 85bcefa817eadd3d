// What comes first and what comes later: methods that prepare, a main function of several parts, one thread only; guards and
// locks that the user wrote.
#include <mutex>
#include <thread>
#include <vector>

// Prepared by a method with the name of one that prepares; unless it looks whether that was done.
class Device {
public:
  void init_ok(int rate) { rate_ = rate; }
  void initialize_bad() {
    if (!ready_) ready_ = true;
  }
  bool use_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return rate_ > 0 && ready_;
  }
  void change_bad(int rate) { rate_ = rate; }

private:
  std::mutex mutex_;
  int rate_ = 0;
  bool ready_ = false;
};

// The object is a lock itself.
template <class Derived> class Lockable {
public:
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

private:
  std::mutex mutex_;
};
class Counter : public Lockable<Counter> {
public:
  void up_ok() {
    std::lock_guard<Lockable<Counter>> guard(*this);
    ++count_;
  }
  int count_bad() { return count_; }

private:
  int count_ = 0;
};

// A guard that can be given its lock later is one thread's own.
class Guard {
public:
  Guard() = default;
  ~Guard() {
    if (owns_) lock_->unlock();
  }
  void set_ok(std::mutex* lock) {
    if (lock_ == nullptr) lock_ = lock;
  }
  void lock_ok() {
    lock_->lock();
    owns_ = true;
  }
  void unlock_ok() {
    if (!lock_) return;
    lock_->unlock();
    owns_ = false;
  }

private:
  std::mutex* lock_ = nullptr;
  bool owns_ = false;
};

// if (threads == 1): nobody else is there.
class Pool {
public:
  explicit Pool(int threads) : num_threads_(threads) {}
  void add_ok() {
    if (num_threads_ == 1) {
      ++added_;
      return;
    }
    std::lock_guard<std::mutex> guard(mutex_);
    ++added_;
  }
  void add_all_ok() {
    if (num_threads_ > 1) {
      std::lock_guard<std::mutex> guard(mutex_);
      ++added_;
    } else {
      ++added_;
    }
  }
  void add_bad() {
    if (num_threads_ == 2) ++added_;
  }

private:
  std::mutex mutex_;
  const int num_threads_;
  int added_ = 0;
};

// Parts of a main function: a thread that has ended, and one that has not.
int first = 0, second = 0, third = 0, fourth = 0;
void count_first_ok() { ++first; }
void count_second_bad() { ++second; }
void count_third_ok() { ++third; }
void count_fourth_bad() { ++fourth; }

int main() {
  std::thread a(count_first_ok);
  a.join();
  std::thread b(count_second_bad);
  int seen = first + second;
  b.join();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    threads.emplace_back(count_third_ok);
    for (std::thread& thread : threads) thread.join();
    seen += third;
  }
  std::thread c(count_fourth_bad);
  ++fourth;
  std::thread d(count_first_ok);
  c.join();
  d.join();
  // Their end is waited for by their container.
  std::vector<std::jthread> more;
  more.emplace_back(count_third_ok);
  more.clear();
  return seen + third;
}
