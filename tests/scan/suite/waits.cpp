// What waits for a thread, and what does not: futures, joins of all kinds, atomics that let one thread through, locks that are tried.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <queue>
#include <thread>
#include <threads.h>
#include <vector>

using namespace std::chrono_literals;

// The end of a future of std::async waits, and so does giving it up.
int end_of_future_ok() {
  int s = 0;
  {
    auto f = std::async(std::launch::async, [&] { s += 1; });
  }
  return s += 2;
}
int before_end_of_future_bad() {
  int s = 0;
  auto f = std::async(std::launch::async, [&] { s += 1; });
  return s += 2;
}
int discarded_future_ok() {
  int s = 0;
  std::async(std::launch::async, [&] { s += 1; });
  (void)std::async(std::launch::async, [&] { s += 2; });
  return s += 3;
}
int given_up_future_ok() {
  int s = 0;
  std::future<void> f = std::async(std::launch::async, [&] { s += 1; });
  f = {};
  return s += 2;
}
int new_future_bad() {
  int s = 0;
  std::future<void> f;
  f = std::async(std::launch::async, [&] { s += 1; });
  s += 2;
  f.get();
  return s;
}
int end_of_futures_ok() {
  int s = 0;
  {
    std::vector<std::future<void>> all;
    all.push_back(std::async(std::launch::async, [&] { s += 1; }));
  }
  return s += 2;
}
int before_end_of_futures_bad() {
  int s = 0;
  {
    std::vector<std::future<void>> all;
    all.push_back(std::async(std::launch::async, [&] { s += 1; }));
    s += 2;
  }
  return s;
}
std::future<void> add_later(int& to) {
  return std::async(std::launch::async, [&to] { to += 1; });
}
int end_of_returned_future_ok() {
  int s = 0;
  {
    auto f = add_later(s);
  }
  return s += 2;
}
// The end of a promise's future does not.
int end_of_promised_bad() {
  int s = 0;
  std::promise<void> p;
  std::thread t([&] {
    s += 1;
    p.set_value();
  });
  {
    auto f = p.get_future();
  }
  s += 2;
  t.join();
  return s;
}

// std::jthread: a temporary, giving it up, putting another in its place.
int discarded_jthread_ok() {
  int s = 0;
  std::jthread([&] { s += 1; });
  return s += 2;
}
int given_up_jthread_ok() {
  int s = 0;
  std::jthread t([&] { s += 1; });
  t = {};
  s += 2;
  t = std::jthread([&] { s += 3; });
  t = std::jthread();
  return s += 4;
}
int new_jthread_bad() {
  int s = 0;
  std::jthread t;
  t = std::jthread([&] { s += 1; });
  return s += 2;
}

// Deferred: no thread at all.
int deferred_ok() {
  int s = 0;
  auto f = std::async(std::launch::deferred, [&] { s += 1; });
  s += 2;
  f.get();
  std::async(std::launch::deferred, [&] { s += 1; }).get();
  return s;
}
int deferred_meanwhile_bad() {
  int s = 0;
  auto f = std::async(std::launch::deferred, [&] { s += 1; });
  std::thread t([&] { s += 2; });
  f.get();
  t.join();
  return s;
}

// Asking a future until it is ready.
int asked_ok() {
  int s = 0;
  auto f = std::async(std::launch::async, [&] { s += 1; });
  while (f.wait_for(1ms) != std::future_status::ready);
  return s += 2;
}
int asked_once_ok() {
  int s = 0;
  auto f = std::async(std::launch::async, [&] { s += 1; });
  if (f.wait_for(1ms) == std::future_status::ready) s += 2;
  return 0;
}
int not_ready_bad() {
  int s = 0;
  auto f = std::async(std::launch::async, [&] { s += 1; });
  if (f.wait_for(1ms) != std::future_status::ready) s += 2;
  return 0;
}
int timed_out_bad() {
  int s = 0;
  auto f = std::async(std::launch::async, [&] { s += 1; });
  if (f.wait_for(1ms) == std::future_status::timeout) s += 2;
  return 0;
}
int asked_and_kept_ok() {
  int s = 0;
  auto f = std::async(std::launch::async, [&] { s += 1; });
  std::future_status status;
  do {
    status = f.wait_for(1ms);
  } while (status != std::future_status::ready);
  return s += 2;
}

// A promise is kept in the midst of a thread.
int promised_ok() {
  int x = 0;
  std::promise<void> p;
  auto f = p.get_future();
  std::thread t([&] {
    x = 3;
    p.set_value();
  });
  f.get();
  int r = x;
  t.join();
  return r;
}
int after_promise_bad() {
  int x = 0;
  std::promise<void> p;
  auto f = p.get_future();
  std::thread t([&] {
    p.set_value();
    x = 3;
  });
  f.get();
  int r = x;
  t.join();
  return r;
}
int promised_away_ok() {
  int x = 0;
  std::promise<void> p;
  auto f = p.get_future();
  std::thread t(
      [&x](std::promise<void> mine) {
        x = 3;
        mine.set_value();
      },
      std::move(p));
  f.wait();
  int r = x;
  t.join();
  return r;
}

// One thread of many: the last one out, the first one in.
std::atomic<int> left{4}, entered{0};
int at_the_end = 0, at_the_start = 0, of_some = 0, by_order = 0;
void last_out_ok() {
  if (--left == 0) at_the_end++;
}
void first_in_ok() {
  if (entered.fetch_add(1) == 0) at_the_start++;
}
void not_the_first_bad() {
  if (entered.fetch_add(1) != 0) of_some++;
}
void last_by_order_ok() {
  if (left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  by_order++;
}
void start_those() {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) {
    all.emplace_back(last_out_ok);
    all.emplace_back(first_in_ok);
    all.emplace_back(not_the_first_bad);
    all.emplace_back(last_by_order_ok);
  }
  for (std::thread& t : all) t.join();
}
class Job {
public:
  void run() {
    for (int i = 0; i < 4; ++i) workers_.emplace_back([this] { finish_ok(); });
    for (int i = 0; i < 4; ++i) workers_.emplace_back(&Job::begin_bad, this);
    for (std::thread& t : workers_) t.join();
  }

private:
  void finish_ok() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_++;
  }
  void begin_bad() {
    if (left_.load() == 1) begun_++;
  }
  std::atomic<int> left_{4};
  int done_ = 0, begun_ = 0;
  std::vector<std::thread> workers_;
};

// Spin locks of builtins.
int lk = 0, spun = 0, swapped = 0, valued = 0, helped = 0, unspun = 0;
struct Flag {
  volatile int v;
} flag;
static void lock(volatile int* l) { while (__sync_lock_test_and_set(l, 1)); }
static void unlock(volatile int* l) { __sync_lock_release(l); }
void spin_ok() {
  while (__sync_lock_test_and_set(&lk, 1));
  spun++;
  __sync_lock_release(&lk);
}
void swap_ok() {
  while (!__sync_bool_compare_and_swap(&lk, 0, 1));
  swapped++;
  __sync_lock_release(&lk);
}
void value_ok() {
  while (__sync_val_compare_and_swap(&lk, 0, 1) != 0);
  valued++;
  __sync_bool_compare_and_swap(&lk, 1, 0);
}
void helper_ok() {
  lock(&flag.v);
  helped++;
  unlock(&flag.v);
}
void after_spin_bad() {
  lock(&flag.v);
  unlock(&flag.v);
  unspun++;
}
void start_spinning() {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) {
    all.emplace_back(spin_ok);
    all.emplace_back(swap_ok);
    all.emplace_back(value_ok);
    all.emplace_back(helper_ok);
    all.emplace_back(after_spin_bad);
  }
  for (std::thread& t : all) t.join();
}

// Joins that are tried, passed to an algorithm, done by one of std::ranges.
int posix = 0, posix_bad = 0;
void* count_posix_ok(void*) {
  ++posix;
  return nullptr;
}
void* count_posix_meanwhile_bad(void*) {
  ++posix_bad;
  return nullptr;
}
int tried_join_ok() {
  pthread_t t;
  pthread_create(&t, nullptr, count_posix_ok, nullptr);
  while (pthread_tryjoin_np(t, nullptr) != 0);
  return posix;
}
int tried_join_bad() {
  pthread_t t;
  pthread_create(&t, nullptr, count_posix_meanwhile_bad, nullptr);
  timespec until{};
  if (pthread_timedjoin_np(t, nullptr, &until) != 0) return posix_bad;
  return 0;
}
int member_join_ok() {
  int s = 0;
  std::vector<std::thread> v;
  v.emplace_back([&] { s += 1; });
  std::for_each(v.begin(), v.end(), std::mem_fn(&std::thread::join));
  return s;
}
int member_detach_bad() {
  int s = 0;
  std::vector<std::thread> v;
  v.emplace_back([&] { s += 1; });
  std::for_each(v.begin(), v.end(), std::mem_fn(&std::thread::detach));
  return s;
}
int ranges_join_ok() {
  int s = 0;
  std::vector<std::thread> v;
  v.emplace_back([&] { s += 1; });
  std::ranges::for_each(v, [](std::thread& t) { t.join(); });
  return s;
}
int ranges_detach_bad() {
  int s = 0;
  std::vector<std::thread> v;
  v.emplace_back([&] { s += 1; });
  std::ranges::for_each(v, [](std::thread& t) { t.detach(); });
  return s;
}
class Ranges {
public:
  void add_ok(int k) {
    std::lock_guard<std::mutex> guard(mutex_);
    values_.push_back(k);
    sum_ += k;
  }
  void sum_bad(const std::vector<int>& v) {
    std::ranges::for_each(v, [this](int k) { sum_ += k; });
  }
  void sort_bad() { std::ranges::sort(values_); }
  long count_bad() { return std::ranges::count(values_, 3); }
  long count_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    std::ranges::sort(values_);
    return std::ranges::count(values_, 3);
  }

private:
  std::mutex mutex_;
  std::vector<int> values_;
  int sum_ = 0;
};

// A lock that is tried, and the result compared with what says that it failed.
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
mtx_t c11;
int tried = 0;
void lock_ok() {
  pthread_mutex_lock(&m);
  tried++;
  pthread_mutex_unlock(&m);
}
int busy_ok() {
  if (pthread_mutex_trylock(&m) == EBUSY) return 1;
  tried++;
  pthread_mutex_unlock(&m);
  return 0;
}
int busy_bad() {
  if (pthread_mutex_trylock(&m) == EBUSY) {
    tried++;
    return 1;
  }
  pthread_mutex_unlock(&m);
  return 0;
}
int kept_busy_ok() {
  int rc = pthread_mutex_trylock(&m);
  if (rc == EBUSY) return 1;
  tried++;
  pthread_mutex_unlock(&m);
  return 0;
}
int not_busy_ok() {
  if (pthread_mutex_trylock(&m) != EBUSY) {
    tried++;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int timed_out_ok() {
  timespec until{};
  if (pthread_mutex_timedlock(&m, &until) == ETIMEDOUT) return 1;
  tried++;
  pthread_mutex_unlock(&m);
  return 0;
}
int of_c11 = 0;
void c11_lock_ok() {
  mtx_lock(&c11);
  of_c11++;
  mtx_unlock(&c11);
}
int c11_busy_ok() {
  if (mtx_trylock(&c11) == thrd_busy) return 1;
  of_c11++;
  mtx_unlock(&c11);
  return 0;
}
int c11_success_bad() {
  if (mtx_trylock(&c11) == thrd_success) {
    mtx_unlock(&c11);
    return 1;
  }
  return of_c11++;
}
class Tried {
public:
  void lock_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    x_++;
  }
  bool all_ok() {
    if (std::try_lock(mutex_, other_) == -1) {
      x_++;
      mutex_.unlock();
      other_.unlock();
      return true;
    }
    return false;
  }
  void chosen_ok() {
    switch (mutex_.try_lock()) {
    case false:
      return;
    default:
      x_++;
      mutex_.unlock();
    }
  }
  void either_ok(bool b) {
    if (b || !mutex_.try_lock()) return;
    x_++;
    mutex_.unlock();
  }
  void either_guard_ok(bool b) {
    std::unique_lock<std::mutex> l(mutex_, std::try_to_lock);
    if (b || !l) return;
    x_++;
  }
  void either_owner_ok(bool b) {
    std::unique_lock<std::mutex> l(mutex_, std::try_to_lock);
    if (b || !l.owns_lock()) return;
    x_++;
  }
  void either_bad(bool b) {
    if (b || !mutex_.try_lock()) {
      x_++;
      return;
    }
    mutex_.unlock();
  }
  void both_ok(bool b) {
    if (b && mutex_.try_lock()) {
      x_++;
      mutex_.unlock();
    }
  }
  bool is_true_ok() {
    if (mutex_.try_lock() == true) {
      x_++;
      mutex_.unlock();
    }
    return false;
  }

private:
  std::mutex mutex_, other_;
  int x_ = 0;
};

int pointer_to_jthread_ok() {
  int s = 0;
  auto thread = std::make_unique<std::jthread>([&] { s += 1; });
  thread.reset();
  return s += 2;
}
int pointer_to_jthread_bad() {
  int s = 0;
  auto thread = std::make_unique<std::jthread>([&] { s += 1; });
  s += 2;
  thread.reset();
  return s;
}

// Tasks of a pool, one after the other.
class Pool {
public:
  explicit Pool(int n) {
    for (int i = 0; i < n; ++i) threads_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      tasks_.push(std::move(task));
    }
    changed_.notify_one();
  }

private:
  void run() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> guard(mutex_);
        changed_.wait(guard, [this] { return stop_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool stop_ = false;
};
int tasks_one_after_the_other_ok() {
  Pool pool(4);
  int a = 0;
  std::promise<void> first;
  pool.submit([&] {
    a = 1;
    first.set_value();
  });
  first.get_future().wait();
  ++a;
  std::promise<void> second;
  pool.submit([&] {
    a = 2;
    second.set_value();
  });
  second.get_future().wait();
  return a;
}
