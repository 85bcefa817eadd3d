#!/bin/sh
# The same reports, word for word, whatever the order of the files, however many are read at a time, from units or as a whole,
# and with what was kept from an earlier run.
. "$(dirname "$0")/expect.sh"

cat >shared.h <<'END'
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
extern int total, limit;
extern std::mutex total_mutex;
class Tasks {
public:
  Tasks();
  ~Tasks();
  void post(std::function<void()> task);
  int done() const { return done_; }

private:
  void run();
  std::mutex mutex_;
  std::vector<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  int done_ = 0;
};
struct Shape {
  virtual ~Shape() = default;
  virtual int area() = 0;
  std::mutex mutex;
  int asked = 0;
};
template <class T> class Box {
public:
  void put(T value) {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = value;
  }
  T get() const { return value_; }

private:
  mutable std::mutex mutex_;
  T value_{};
};
int measure(Shape& shape);
void add(int n);
END
cat >tasks.cpp <<'END'
#include "shared.h"
Tasks::Tasks() {
  for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { run(); });
}
Tasks::~Tasks() {
  for (std::thread& thread : threads_) thread.join();
}
void Tasks::post(std::function<void()> task) {
  std::lock_guard<std::mutex> guard(mutex_);
  waiting_.push_back(std::move(task));
}
void Tasks::run() {
  std::lock_guard<std::mutex> guard(mutex_);
  for (auto& task : waiting_) task();
  ++done_;
}
END
cat >shapes.cpp <<'END'
#include "shared.h"
struct Square : Shape {
  int area() override { return asked += 4; }
};
struct Circle : Shape {
  int area() override {
    std::lock_guard<std::mutex> guard(mutex);
    return ++asked;
  }
};
int measure(Shape& shape) { return shape.area(); }
int box(Box<int>& ints, Box<long>& longs) {
  ints.put(1);
  longs.put(2);
  return int(ints.get() + longs.get());
}
END
cat >totals.cpp <<'END'
#include "shared.h"
int total = 0, limit = 0;
std::mutex total_mutex;
void add(int n) {
  std::lock_guard<std::mutex> guard(total_mutex);
  if (limit > 0) total += n;
}
int peek() { return total; }
END
cat >main.cpp <<'END'
#include "shared.h"
struct Model {
  Tasks& tasks;
  int value = 0;
  void set(int n) {
    tasks.post([this, n] { value = n; });
  }
  void clear() {
    tasks.post([this] { value = 0; });
  }
  int get() const { return value; }
};
int main() {
  Tasks tasks;
  Model model{tasks};
  std::thread adder(add, 3);
  limit = 5;
  model.set(1);
  model.clear();
  adder.join();
  return model.get() + tasks.done() + total;
}
END
files="tasks.cpp shapes.cpp totals.cpp main.cpp"
reports() { sort "$1" >"$1.sorted"; }
expect "a whole run" 66 stdout 'total' stdout 'asked' -- "$footrace" scan --no-cache -j 1 --format=json $files -- -std=c++20
cp out.txt whole && reports whole
same() { # what
  reports out.txt
  if ! cmp -s whole.sorted out.txt.sorted; then
    echo "FAILED: $1: other reports"
    diff whole.sorted out.txt.sorted
    failures=$((failures + 1))
  fi
}
for order in "main.cpp totals.cpp shapes.cpp tasks.cpp" "shapes.cpp main.cpp tasks.cpp totals.cpp"; do
  expect "in another order" 66 -- "$footrace" scan --no-cache -j 2 --format=json $order -- -std=c++20
  same "$order"
done
for file in $files; do
  expect "a unit" 0 -- "$footrace" scan --unit $file -o $file.summary -- -std=c++20
done
for order in "main.cpp.summary totals.cpp.summary shapes.cpp.summary tasks.cpp.summary" \
  "tasks.cpp.summary shapes.cpp.summary totals.cpp.summary main.cpp.summary"; do
  expect "units" 66 -- "$footrace" scan --merge --format=json $order
  same "$order"
done
for run in first second; do
  expect "with what is kept, the $run time" 66 -- "$footrace" scan --cache kept --format=json $files -- -std=c++20
  same "the $run run"
done
finish
