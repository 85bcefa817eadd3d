// What callers and the user's own guards say: locks that may be none, functions that are called with a lock by another
// class, functions that start what they are passed, one function that uses a lock for something else.
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

// The user's own guards, in both modes.
class ReaderGuard {
public:
  explicit ReaderGuard(std::shared_mutex* mutex) : mutex_(mutex) { mutex_->lock_shared(); }
  ~ReaderGuard() { mutex_->unlock_shared(); }

private:
  std::shared_mutex* mutex_;
};
class WriterGuard {
public:
  explicit WriterGuard(std::shared_mutex* mutex) : mutex_(mutex) { mutex_->lock(); }
  ~WriterGuard() { mutex_->unlock(); }

private:
  std::shared_mutex* mutex_;
};
class Register {
public:
  void set_ok(int n) {
    WriterGuard guard(&mutex_);
    value_ = n;
  }
  int get_ok() {
    ReaderGuard guard(&mutex_);
    return value_;
  }
  void set_as_reader_bad(int n) {
    ReaderGuard guard(&mutex_);
    value_ = n;
  }
  void wrong_bad(int n) {
    WriterGuard guard(&other_);
    value_ = n;
  }

private:
  std::shared_mutex mutex_, other_;
  int value_ = 0;
};

// A guard that may have no lock: then the object is not shared, and the lock says nothing about who calls.
class MaybeGuard {
public:
  explicit MaybeGuard(std::mutex* mutex) : mutex_(mutex) {
    if (mutex_) mutex_->lock();
  }
  ~MaybeGuard() {
    if (mutex_) mutex_->unlock();
  }

private:
  std::mutex* mutex_;
};
class Socket {
public:
  explicit Socket(bool shared) : shared_(shared) {}
  void send_ok() {
    MaybeGuard guard(shared_ ? &mutex_ : nullptr);
    ++sent_;
  }
  void process_ok() { ++sent_; }

private:
  const bool shared_;
  std::mutex mutex_;
  int sent_ = 0;
};
class AlwaysShared {
public:
  void send_ok() {
    MaybeGuard guard(&mutex_);
    ++sent_;
  }
  void process_bad() { ++sent_; }

private:
  std::mutex mutex_;
  int sent_ = 0;
};

// A lock somewhere behind a pointer that may change is no reason to think that this object is shared.
struct Node {
  Node* next = nullptr;
  std::mutex mutex;
  int seen = 0;
};
class Walker {
public:
  void walk_ok(Node* node) {
    while (node->next) node = node->next;
    std::lock_guard<std::mutex> guard(node->mutex);
    steps_ = node->seen;
  }
  int steps_ok() { return steps_; }

private:
  int steps_ = 0;
};

// The lock is its owner's: all calls are made by the owner, with the lock.
class Mailbox {
public:
  explicit Mailbox(std::mutex& mutex) : mutex_(mutex) {}
  void send_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++messages_;
  }
  void drop_ok() { messages_ = 0; }
  void drop_one_bad() { --messages_; }

private:
  std::mutex& mutex_;
  int messages_ = 0;
};
class Owner {
public:
  void drop() {
    std::lock_guard<std::mutex> guard(mutex_);
    mailbox_.drop_ok();
  }
  void drop_one() { mailbox_.drop_one_bad(); }

private:
  std::mutex mutex_;
  Mailbox mailbox_{mutex_};
};

// One function writes without the lock, and holds it for what it hands over: one thread calls it, through whatever method.
class Exchange {
public:
  void put_ok(int n) { write(n); }
  void finish_ok() { write(-1); }
  int get_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return front_;
  }

private:
  void write(int n) {
    back_ = n;
    std::lock_guard<std::mutex> guard(mutex_);
    front_ = back_;
  }
  std::mutex mutex_;
  int front_ = 0, back_ = 0;
};
// But a function that is called with the lock by one and without by another is not careful.
class Careless {
public:
  void add_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    write();
  }
  void add_bad() { write(); }

private:
  void write() { ++count_; }
  std::mutex mutex_;
  int count_ = 0;
};

// A setter of what nothing else writes, of a class that is started: set before.
class Pool {
public:
  void set_limit_ok(int n) { limit_ = n; }
  void set_size_bad(int n) { size_ = n; }
  void start() {
    worker_ = std::thread([this] { work(); });
  }
  void add_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    if (size_ < limit_) ++size_;
  }
  void stop() { worker_.join(); }

private:
  void work() {
    std::lock_guard<std::mutex> guard(mutex_);
    size_ = 0;
  }
  std::mutex mutex_;
  std::thread worker_;
  int limit_ = 0, size_ = 0;
};

// Functions that start what they are passed, and wait for it.
void in_parallel(const std::function<void(int)>& task) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(task, i);
  for (std::thread& thread : threads) thread.join();
}
void in_background(const std::function<void(int)>& task) { std::thread(task, 0).detach(); }
int after_all_ok() {
  int last = 0;
  int sums[4] = {0, 0, 0, 0};
  in_parallel([&](int i) { sums[i] = i; });
  last = sums[0];
  return last;
}
int together = 0;
void count_together_bad(int) { ++together; }
void counts_together() { in_parallel(count_together_bad); }
struct Progress {
  int done = 0;
};
int not_awaited_bad() {
  Progress* progress = new Progress;
  in_background([progress](int) { progress->done = 1; });
  return progress->done;
}
