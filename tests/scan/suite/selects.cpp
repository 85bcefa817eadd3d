// Library functions that only hand out a part of what they are given, or pass it on; closures of several types.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <ranges>
#include <shared_mutex>
#include <string>
#include <tuple>
#include <vector>

class Readers {
public:
  bool begin_ok() {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    return std::begin(values_) == std::end(values_);
  }
  auto size_ok() {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    return std::size(values_) + std::size_t(*std::data(values_));
  }
  int get_ok() {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    auto& [number, text] = pair_;
    return std::get<0>(pair_) + number + std::get<1>(array_);
  }
  auto apply_ok() {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    return std::apply([](auto number, auto&) { return number; }, pair_);
  }
  auto filter_ok() {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    auto some = values_ | std::views::filter([](int value) { return value > 1; });
    return std::ranges::distance(some);
  }
  bool address_ok() {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    return std::addressof(values_) == nullptr;
  }
  void set_ok() {
    std::unique_lock<std::shared_mutex> guard(mutex_);
    values_.push_back(1);
    std::get<0>(pair_) = 2;
    array_[0] = 3;
  }
  void write_bad() {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    std::get<0>(pair_) = 2;
  }
  void swap_bad(std::vector<int>& other) {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    std::swap(values_, other);
  }

private:
  std::shared_mutex mutex_;
  std::vector<int> values_;
  std::array<int, 4> array_{};
  std::tuple<int, std::string> pair_;
};

// A closure of several types, called with a lock.
template <class T> class Synchronized {
public:
  template <class F> auto with(F&& f) {
    std::lock_guard<std::mutex> guard(mutex_);
    return f(value_);
  }
  T& without() { return value_; }

private:
  std::mutex mutex_;
  T value_{};
};
class Names {
public:
  void add_ok(int name) {
    names_.with([&](auto& names) { names.push_back(name); });
  }
  auto count_ok() {
    return names_.with([](auto& names) { return names.size(); });
  }
  auto count_bad() { return names_.without().size(); }

private:
  Synchronized<std::vector<int>> names_;
};

// Called with several types.
class Mixed {
public:
  void add_ok() {
    auto change = [this](auto value) { sum_ += long(value); };
    std::lock_guard<std::mutex> guard(mutex_);
    twice(change);
  }
  void add_bad() {
    twice([this](auto value) { sum_ += long(value); });
  }

private:
  template <class F> void twice(F f) {
    f(1);
    f(2.5);
  }
  std::mutex mutex_;
  long sum_ = 0;
};
