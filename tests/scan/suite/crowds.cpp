// Several threads of one function, and what a function shares with the threads that it starts: its variables.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

int together = 0, locked = 0, once = 0, in_turn = 0, twice = 0, later = 0, wrapped = 0;
std::mutex mutex;

void count_bad() { ++together; }
void count_locked_ok() {
  std::lock_guard<std::mutex> guard(mutex);
  ++locked;
}
void count_once_ok() { ++once; }
void count_in_turn_ok() { ++in_turn; }
int count_twice_bad(int n) { return twice += n; }
void count_later_bad() { ++later; }
void count_wrapped_bad(void*) { ++wrapped; }

// Started in a loop; one at a time; once.
void start_many() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(count_bad);
  for (int i = 0; i < 4; ++i) threads.emplace_back(count_locked_ok);
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) {
    std::thread one(count_in_turn_ok);
    one.join();
  }
  std::thread single(count_once_ok);
  single.join();
}
void start_twice() {
  auto a = std::async(std::launch::async, count_twice_bad, 1);
  auto b = std::async(std::launch::async, count_twice_bad, 2);
  a.get();
  b.get();
}
// By a function that is called in a loop; through a function that is passed.
void start_one(std::vector<std::thread>& threads) { threads.emplace_back(count_later_bad); }
void start_passed(void (*run)(void*), void* data) { std::thread(run, data).detach(); }
void start_later() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) start_one(threads);
  for (int i = 0; i < 4; ++i) start_passed(count_wrapped_bad, nullptr);
  for (std::thread& thread : threads) thread.join();
}

// Variables of the starter: two threads, the starter meanwhile, what is ordered, what each has for itself.
void add_bad(int* to) { *to += 1; }
int variables() {
  int shared = 0, before = 1, own = 0;
  std::thread a(add_bad, &shared), b(add_bad, &shared);
  std::thread c([&own, before] { own = before; });
  a.join();
  b.join();
  c.join();
  return shared + own;
}
int meanwhile() {
  int value = 0;
  std::thread thread([&] {
    for (int i = 0; i < 3; ++i) value = i;
  });
  int seen = value;
  thread.join();
  return seen;
}
int afterwards_ok() {
  int value = 0;
  std::thread thread([&] { value = 1; });
  thread.join();
  return value;
}
void of_each_ok() {
  struct Job {
    int done = 0;
  };
  std::vector<std::shared_ptr<Job>> jobs;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    auto job = std::make_shared<Job>();
    jobs.push_back(job);
    threads.emplace_back([job] { job->done = 1; });
  }
  for (std::thread& thread : threads) thread.join();
}

// An object that the starter made, and a lock of the starter.
class Grows {
public:
  void grow() { ++size_; }
  int size() const { return size_; }

private:
  int size_ = 0;
};
int objects() {
  Grows* grows = new Grows;
  std::thread thread([grows] { grows->grow(); });
  int size = grows->size();
  thread.join();
  return size;
}
int own_lock_ok() {
  std::mutex own;
  int value = 0;
  std::thread thread([&] {
    std::lock_guard<std::mutex> guard(own);
    value = 1;
  });
  int seen = 0;
  {
    std::lock_guard<std::mutex> guard(own);
    seen = value;
  }
  thread.join();
  return seen;
}

// A pool with several threads does several tasks at a time, one with a single thread does not.
template <int Threads> class Pool {
public:
  Pool() {
    if constexpr (Threads == 1)
      threads_.emplace_back([this] { loop(); });
    else
      for (int i = 0; i < Threads; ++i) threads_.emplace_back([this] { loop(); });
  }
  ~Pool() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(std::function<void()> task) {
    std::lock_guard<std::mutex> guard(mutex_);
    tasks_.push(std::move(task));
  }
  void wait() {
    std::unique_lock<std::mutex> guard(mutex_);
    done_.wait(guard, [this] { return tasks_.empty(); });
  }

private:
  void loop() {
    while (!stop_) {
      std::function<void()> task;
      {
        std::lock_guard<std::mutex> guard(mutex_);
        if (tasks_.empty()) continue;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable done_;
  std::queue<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_{false};
};
void tasks_of_many() {
  int sum = 0;
  Pool<4> pool;
  for (int i = 0; i < 10; ++i) pool.submit([&sum] { ++sum; });
}
void tasks_of_one_ok() {
  int sum = 0;
  Pool<1> pool;
  for (int i = 0; i < 10; ++i) pool.submit([&sum] { ++sum; });
}
// What the pool was waited for has ended; what it was not has not.
bool waited_for_ok() {
  bool flag = false;
  Pool<1> pool;
  pool.submit([&flag] { flag = true; });
  pool.wait();
  return flag;
}
bool not_waited_for_bad() {
  bool early = false;
  Pool<1> pool;
  pool.submit([&early] { early = true; });
  return early;
}

int main() {
  start_many();
  start_twice();
  start_later();
  tasks_of_many();
  tasks_of_one_ok();
  of_each_ok();
  if (waited_for_ok() && not_waited_for_bad()) ++once;
  return variables() + meanwhile() + afterwards_ok() + objects() + own_lock_ok() + together + locked + once +
         in_turn + twice + later + wrapped;
}
