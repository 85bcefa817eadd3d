// How threads are started: what is called, by which names, with which arguments, and what the starter does meanwhile.
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

// A thread that does what its starter does as well, with a variable of the starter.
class Count {
public:
  void put() { ++n_; }

private:
  int n_ = 0;
};
class LockedCount {
public:
  void put() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++n_;
  }

private:
  std::mutex mutex_;
  int n_ = 0;
};
void both_put_bad() {
  Count s;
  std::thread t([&] { s.put(); });
  s.put();
  t.join();
}
void both_put_ok() {
  LockedCount s;
  std::thread t([&] { s.put(); });
  s.put();
  t.join();
}
static void increase(int& r) { r++; }
int both_increase_bad() {
  int s = 0;
  std::thread t(increase, std::ref(s));
  increase(s);
  t.join();
  return s;
}
int one_after_the_other_ok() {
  int s = 0;
  std::thread t(increase, std::ref(s));
  t.join();
  increase(s);
  return s;
}

// Objects that can be called, std::function, std::bind, tasks, function pointers.
int made = 0, referred = 0, bound = 0, pointed = 0, in_pointer = 0;
struct Functor {
  void operator()() { made++; }
};
struct OwnCount {
  void operator()() { n++; }
  int n = 0;
};
int functor_bad() {
  std::thread t{Functor()};
  int r = made++;
  t.join();
  return r;
}
int referred_functor_bad() {
  OwnCount a;
  std::thread t(std::ref(a));
  a.n++;
  t.join();
  return a.n;
}
int copied_functor_ok() {
  OwnCount a;
  std::thread t(a);
  a.n++;
  t.join();
  return a.n;
}
int function_object_bad() {
  int s = 0;
  std::function<void()> f = [&] { s++; };
  std::thread t(f);
  s++;
  t.join();
  return s;
}
int function_object_ok() {
  int s = 0;
  std::function<void()> f = [&] { s++; };
  std::thread t(f);
  t.join();
  f();
  return s++;
}
int other_function_ok() {
  int s = 0;
  std::function<void()> f = [&] { s++; };
  f = [] {};
  std::thread t(f);
  s++;
  t.join();
  return s;
}
void count_bound() { bound++; }
int bound_bad() {
  std::thread t(std::bind(count_bound));
  int r = bound++;
  t.join();
  return r;
}
class Bound {
public:
  void run_bad() {
    std::thread t(std::bind(&Bound::work, this));
    n_++;
    t.join();
  }
  void run_ok() {
    std::thread t(std::bind(&Bound::work_ok, this));
    t.join();
    m_++;
  }

private:
  void work() { n_++; }
  void work_ok() { m_++; }
  int n_ = 0, m_ = 0;
};
int task_bad() {
  int s = 0;
  std::packaged_task<void()> task([&] { s++; });
  std::thread t(std::move(task));
  s++;
  t.join();
  return s;
}
int task_ok() {
  int s = 0;
  std::packaged_task<void()> task([&] { s++; });
  std::future<void> f = task.get_future();
  std::thread t(std::move(task));
  f.get();
  s++;
  t.join();
  return s;
}
void count_pointed() { pointed++; }
int pointer_bad() {
  void (*f)() = count_pointed;
  std::thread t(f);
  int r = pointed++;
  t.join();
  return r;
}
int held_by_pointer_bad() {
  int r = 0;
  auto t = std::make_unique<std::thread>([&] { r = 1; });
  r = 2;
  t->join();
  return r;
}
int held_by_pointer_ok() {
  int r = 0;
  auto t = std::make_unique<std::thread>([&] { r = 1; });
  t->join();
  return r = 2;
}
class Member {
public:
  Member() {}
  ~Member() { t_.join(); }
  int read_bad() const { return n_; }
  int read_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return m_;
  }

private:
  std::mutex mutex_;
  int n_ = 0, m_ = 0;
  std::thread t_{[this] {
    n_++;
    std::lock_guard<std::mutex> guard(mutex_);
    m_++;
  }};
};
std::size_t argument_bad() {
  std::string v;
  std::size_t n = 0;
  std::thread t([&n](const std::string& w) { n = w.size(); }, std::cref(v));
  v += "x";
  t.join();
  return n;
}
std::size_t argument_ok() {
  std::string v;
  std::size_t n = 0;
  std::thread t([&n](const std::string& w) { n = w.size(); }, v);
  v += "x";
  t.join();
  return n;
}

// Variables of the starter around the back edge of the loop that starts threads.
void use(int);
int loop_counter_bad() {
  std::vector<std::thread> ts;
  for (int i = 0; i < 4; i++) ts.emplace_back([&] { use(i); });
  for (std::thread& t : ts) t.join();
  return 0;
}
int loop_counter_ok() {
  std::vector<std::thread> ts;
  for (int i = 0; i < 4; i++) ts.emplace_back([i] { use(i); });
  for (std::thread& t : ts) t.join();
  return 0;
}
int running_sum_bad() {
  std::vector<std::thread> ts;
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    ts.emplace_back([&] { use(sum); });
    sum += i;
  }
  for (std::thread& t : ts) t.join();
  return sum;
}
int running_sum_ok() {
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    std::thread t([&] { use(sum); });
    t.join();
    sum += i;
  }
  return sum;
}
int one_for_each_ok() {
  std::vector<std::thread> ts;
  for (int i = 0; i < 4; i++) {
    int own = 0;
    own += i;
    std::thread t([&] { use(own); });
    t.join();
  }
  return 0;
}

// A helper whose threads call what it is passed.
template <class F> void in_parallel(F f) {
  std::thread a([&] { f(1); }), b([&] { f(2); });
  a.join();
  b.join();
}
template <class F> void in_loop(F&& f) {
  std::vector<std::thread> ts;
  for (int i = 0; i < 4; ++i) ts.emplace_back([&f, i] { f(i); });
  for (std::thread& t : ts) t.join();
}
void by_function(const std::function<void(int)>& f) {
  std::vector<std::future<void>> fs;
  for (int i = 0; i < 4; ++i) fs.push_back(std::async(std::launch::async, [&, i] { f(i); }));
  for (std::future<void>& one : fs) one.get();
}
template <class F> void in_turn(F f) {
  std::thread a([&] { f(1); });
  a.join();
  std::thread b([&] { f(2); });
  b.join();
}
int total_a = 0, total_b = 0, total_c = 0, total_d = 0;
std::mutex total_mutex;
void add_a_bad(int i) { total_a += i; }
void add_b_bad(int i) { total_b += i; }
void add_c_bad(int i) { total_c += i; }
void add_d_ok(int i) { total_d += i; }
int parallel_ok() {
  int s = 0;
  in_parallel(add_a_bad);
  in_loop(add_b_bad);
  by_function(add_c_bad);
  in_turn(add_d_ok);
  in_parallel([&](int i) {
    std::lock_guard<std::mutex> guard(total_mutex);
    s += i;
  });
  return s;
}
int sum_parallel() { // its closures race
  int s = 0, r = 0;
  in_parallel([&](int i) { s += i; });
  in_loop([&](int i) { r += i; });
  return s + r;
}

// Atomic on one side only.
int half = 0, whole = 0, flag = 0;
void add_whole_ok() { __sync_fetch_and_add(&whole, 1); }
int half_atomic_bad() {
  std::thread t([] { __sync_fetch_and_add(&half, 1); });
  half++;
  t.join();
  return half;
}
int whole_atomic_ok() {
  std::thread t(add_whole_ok);
  __atomic_fetch_add(&whole, 1, __ATOMIC_RELAXED);
  t.join();
  return whole;
}
int half_flag_bad() {
  std::thread t([] { use(__atomic_load_n(&flag, __ATOMIC_ACQUIRE)); });
  flag = 1;
  t.join();
  return 0;
}
