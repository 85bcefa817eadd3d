// What an expression means: what is never run, what is a copy, which part is meant.
#include <array>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

using Guard = std::lock_guard<std::mutex>;

// Operands that are not evaluated, and branches that are not part of the program.
class Unevaluated {
public:
  void set_ok() {
    Guard guard(mutex_);
    ++value_;
  }
  bool exception_ok() { return noexcept(value_ = 1); }
  auto size_ok() { return sizeof(value_ = 1); }
  void assume_ok() { __builtin_assume(value_ > 0); }
  void statistics_ok() {
    if constexpr (sizeof(int) > 100) ++value_;
  }
  void locked_if_wanted_ok() {
    if constexpr (kThreads) mutex_.lock();
    ++value_;
    if constexpr (kThreads) mutex_.unlock();
  }
  void not_wanted_bad() {
    if constexpr (!kThreads) mutex_.lock();
    ++value_;
    if constexpr (!kThreads) mutex_.unlock();
  }
  void evaluated_bad() { (void)(value_ = 1); }

private:
  static constexpr bool kThreads = true;
  std::mutex mutex_;
  int value_ = 0;
};

// What a closure is given.
class Captures : public std::enable_shared_from_this<Captures> {
public:
  Captures() = default;
  Captures(const Captures&) {}
  void set_ok() {
    Guard guard(mutex_);
    ++value_;
  }
  void copy_ok() {
    [*this]() mutable { ++value_; }();
  }
  void renamed_bad() {
    [self = this] { ++self->value_; }();
  }
  void reference_bad() {
    [&r = value_] { ++r; }();
  }
  void shared_bad() {
    auto body = [self = shared_from_this()] { ++self->value_; };
    body();
  }
  void copied_value_ok() {
    int start = 0;
    [value = start]() mutable { ++value; }();
  }

private:
  std::mutex mutex_;
  int value_ = 0;
};
void captured_address_bad() {
  int sum = 0;
  std::thread thread([p = &sum] { ++*p; });
  ++sum;
  thread.join();
}

// Parts of tuples, pairs and arrays.
class Parts {
public:
  void set_ok() {
    Guard guard(mutex_);
    std::get<1>(tuple_) = 1;
    plain_.second = 1;
    (&numbers_[2])[1] = 2;
    elements_[1] = 1;
    whole_ = {1, 2};
    list_[3] = 1;
    fields_.b = 1;
  }
  int other_part_ok() { return std::get<0>(tuple_); }
  int part_bad() { return std::get<1>(tuple_); }
  int first_ok() { return plain_.first; }
  int second_bad() { return std::get<1>(plain_); }
  int number_ok() { return numbers_[2]; }
  int element_bad() { return elements_[1]; }
  int other_element_ok() { return elements_[2]; }
  int of_whole_bad() { return whole_.first; }
  int listed_bad() { return list_[3]; }
  int bound_bad() {
    auto& [a, b] = fields_;
    return b;
  }
  int bound_other_ok() {
    auto& [a, b] = fields_;
    return a;
  }

private:
  std::mutex mutex_;
  std::tuple<int, int> tuple_;
  std::pair<int, int> plain_, whole_;
  int numbers_[8] = {};
  std::array<int, 4> elements_ = {};
  std::vector<int> list_ = std::vector<int>(8);
  struct {
    int a, b;
  } fields_ = {};
};

// One of two.
class Choices {
public:
  void set_ok() {
    Guard guard(mutex_);
    left_ = right_ = 1;
  }
  void write_bad(bool which) { (which ? left_ : right_) = 2; }
  int read_bad(bool which) { return which ? left_ : 0; }

private:
  std::mutex mutex_;
  int left_ = 0, right_ = 0;
};
