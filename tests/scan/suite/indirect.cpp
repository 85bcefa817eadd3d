// Calls whose target is not written down: virtual methods, function pointers, callbacks, closures that are passed on.
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

// Virtual methods: every overrider may be meant.
class Shape {
public:
  virtual ~Shape() = default;
  void locked_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    grow();
  }
  void unlocked_bad() { grow(); }
  void named_ok() { Shape::settle(); }

protected:
  virtual void settle() {}
  virtual void grow() = 0;
  std::mutex mutex_;
};
class Circle : public Shape {
  void settle() override { radius_ = 0; }
  void grow() override { ++radius_; }
  int radius_ = 1;
};
// A field of the same name in another class of the hierarchy is another field.
class Square : public Shape {
public:
  int radius_ok() { return radius_; }

private:
  void grow() override {}
  int radius_ = 1;
};

// Of an object that says which class it is, one method only may be meant.
class Counter {
public:
  virtual ~Counter() = default;
  virtual void add() {}
  virtual void reset() {}
};
class RealCounter final : public Counter {
public:
  void add() override { ++count_; }
  void reset() override { count_ = 0; }
  int count_ = 0;
};
class UsesCounters {
public:
  void locked_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    real_.add();
  }
  void exact_bad() { real_.add(); }
  void pointer_bad() { any_->reset(); }
  void pointer_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    any_->reset();
  }

private:
  std::mutex mutex_;
  RealCounter real_;
  std::unique_ptr<Counter> any_;
};

// A field that hides one of the base class.
class Outer {
public:
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
  }

protected:
  std::mutex mutex_;
  int value_ = 0;
};
class Hides : public Outer {
public:
  int own_ok() { return value_; }
  int of_base_bad() { return Outer::value_; }

private:
  int value_ = 2;
};

// Function pointers in fields and variables: what is stored there is what may be called.
struct Stream {
  std::mutex mutex;
  int position;
  void (*advance)(Stream* stream);
};
static void advance_by_one(Stream* stream) { ++stream->position; }
static const Stream kStream = {{}, 0, advance_by_one};

void pointer_ok(Stream* stream) {
  std::lock_guard<std::mutex> guard(stream->mutex);
  stream->advance(stream);
}
void pointer_bad(Stream* stream) { stream->advance(stream); }

namespace hooks {
std::mutex mutex;
int calls = 0;
static void count_call() { ++calls; }
static void (*hook)() = nullptr;

void install_ok() {
  std::lock_guard<std::mutex> guard(mutex);
  hook = count_call;
}
void run_locked_ok() {
  std::lock_guard<std::mutex> guard(mutex);
  ++calls;
}
void run_bad() { hook(); }
} // namespace hooks

// What a function is given to call, it calls where it does: with the locks that it holds.
class Visits {
public:
  void visit_locked_ok() {
    with_lock([this] { ++count_; });
  }
  void visit_forwarded_ok() {
    forwards([this] { ++count_; });
  }
  void visit_function_ok() {
    erased([this] { ++count_; });
  }
  void visit_argument_ok() { with_this(add); }
  void visit_bad() {
    without_lock([this] { ++count_; });
  }
  void visit_argument_bad() { with_this_unlocked(add); }
  void visit_bound_bad() { erased_unlocked(std::bind(&Visits::step, this)); }
  void visit_variable_bad() {
    auto visitor = [this] { ++count_; };
    without_lock(visitor);
  }

private:
  template <class Visitor> void with_lock(Visitor visitor) {
    std::lock_guard<std::mutex> guard(mutex_);
    visitor();
  }
  template <class Visitor> void forwards(Visitor&& visitor) { with_lock(std::forward<Visitor>(visitor)); }
  template <class Visitor> void without_lock(Visitor&& visitor) { std::forward<Visitor>(visitor)(); }
  void erased(std::function<void()> visitor) {
    std::lock_guard<std::mutex> guard(mutex_);
    visitor();
  }
  void erased_unlocked(const std::function<void()>& visitor) { visitor(); }
  void with_this(void (*function)(Visits&)) {
    std::lock_guard<std::mutex> guard(mutex_);
    function(*this);
  }
  void with_this_unlocked(void (*function)(Visits&)) { function(*this); }
  static void add(Visits& visits) { ++visits.count_; }
  void step() { ++count_; }

  std::mutex mutex_;
  int count_ = 0;
};

// The user's own once.
namespace once {
std::once_flag flag;
int table = 0;
static void fill() { table = 1; }
static void run_once(std::once_flag* where, void (*function)()) { std::call_once(*where, function); }
int get_ok() {
  run_once(&flag, fill);
  return table;
}
int get_directly_ok() {
  std::call_once(flag, fill);
  return table;
}
} // namespace once

// A callback that is kept is not called where it is passed.
class Keeps {
public:
  void keep_ok() {
    on_change([this] { ++changes_; });
  }
  void change_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++changes_;
  }
  int changes_bad() { return changes_; }

private:
  void on_change(std::function<void()> callback) { callback_ = std::move(callback); }
  std::mutex mutex_;
  std::function<void()> callback_;
  int changes_ = 0;
};
