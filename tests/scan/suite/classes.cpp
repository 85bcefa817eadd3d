// Constructors, inheritance, templates, operators, visibility, what is not a race.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

class Constructed {
public:
  Constructed() { value_ = 1; }
  explicit Constructed(int n) : value_(n) { initialise(); }
  ~Constructed() { value_ = 0; }
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 2;
  }
  int read_bad() { return value_; }

private:
  void initialise() { value_ = 3; }
  std::mutex mutex_;
  int value_ = 0;
};

class Base {
public:
  virtual ~Base() = default;
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
  }

protected:
  int protected_ok() { return value_; }
  std::mutex mutex_;
  int value_ = 0;
};
class Derived : public Base {
public:
  int read_bad() { return value_; }
  int through_base_bad() { return protected_ok(); }
  int locked_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return protected_ok();
  }
};
class Unrelated {
public:
  int read_ok() { return value_; }

private:
  int value_ = 0;
};

template <class T> class Box {
public:
  void write_ok(T value) {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = value;
  }
  T read_bad() { return value_; }
  T read_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return value_;
  }

private:
  std::mutex mutex_;
  T value_{};
};
template class Box<int>;
template class Box<long>;

class Operators {
public:
  Operators& operator+=(int n) {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ += n;
    return *this;
  }
  void plus_ok() { *this += 1; }
  int index_bad(int n) { return (*this)[n]; }
  int compare_bad(const Operators& other) { return *this == other; }

private:
  int operator[](int n) { return value_ + n; }
  bool operator==(const Operators&) const { return value_ == 0; }
  std::mutex mutex_;
  int value_ = 0;
};

class Fields {
public:
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
    ++atomic_;
    ++static_;
  }
  int atomic_ok() { return atomic_; }
  int atomic_load_ok() { return atomic_.load(std::memory_order_relaxed); }
  int static_bad() { return static_; }
  int constant_ok() { return constant_; }
  int mutable_bad() const { return value_; }
  static int static_method_bad() { return static_; }

private:
  std::mutex mutex_;
  mutable int value_ = 0;
  const int constant_ = 1;
  std::atomic<int> atomic_{0};
  inline static int static_ = 0;
};

class Ignored {
public:
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
  }
  int same_line_ok() { return value_; } // footrace: ignore(statistics only)
  int line_before_ok() {
    // footrace: ignore(statistics only)
    return value_;
  }
  int not_here_bad() {
    // footrace: ignore(the next line only)
    int zero = 0;
    return value_ + zero;
  }

private:
  std::mutex mutex_;
  int value_ = 0;
};

class Algorithms {
public:
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    sum_ = 0;
  }
  void for_each_bad(const std::vector<int>& list) {
    std::for_each(list.begin(), list.end(), [this](int n) { sum_ += n; });
  }
  void for_each_ok(const std::vector<int>& list) {
    std::lock_guard<std::mutex> guard(mutex_);
    std::for_each(list.begin(), list.end(), [this](int n) { sum_ += n; });
  }
  int min_bad(int n) { return std::min(sum_, n); }
  int max_ok(int n) {
    std::lock_guard<std::mutex> guard(mutex_);
    return std::max(sum_, n);
  }

private:
  std::mutex mutex_;
  int sum_ = 0;
};

class Nested {
public:
  void write_ok() {
    std::lock_guard<std::mutex> guard(inner_.mutex);
    inner_.value = 1;
  }
  int read_bad() { return inner_.value; }
  int read_ok() {
    std::lock_guard<std::mutex> guard(inner_.mutex);
    return inner_.value;
  }

private:
  struct Inner {
    std::mutex mutex;
    int value = 0;
  };
  Inner inner_;
};

class Recursion {
public:
  void down_ok(int n) {
    std::lock_guard<std::mutex> guard(mutex_);
    count(n);
  }
  void down_bad(int n) { count(n); }

private:
  void count(int n) {
    value_ = n;
    if (n) count(n - 1);
  }
  std::mutex mutex_;
  int value_ = 0;
};

class DoubleChecked {
public:
  int* get_ok() {
    int* seen = pointer_.load();
    if (seen) return seen;
    std::lock_guard<std::mutex> guard(mutex_);
    if (!pointer_.load()) pointer_ = new int(1);
    return pointer_.load();
  }

private:
  std::mutex mutex_;
  std::atomic<int*> pointer_{nullptr};
};

class BrokenDoubleChecked {
public:
  int* get_bad() {
    if (pointer_) return pointer_;
    std::lock_guard<std::mutex> guard(mutex_);
    if (!pointer_) pointer_ = new int(1);
    return pointer_;
  }

private:
  std::mutex mutex_;
  int* pointer_ = nullptr;
};

// What comes after a call that never returns is not reached.
class Ends {
public:
  void write_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
  }
  void never_ok() {
    give_up();
    value_ = 2;
  }
  void not_always_bad(bool fails) {
    if (fails) give_up();
    value_ = 3;
  }

private:
  [[noreturn]] static void fail();
  static void give_up() { fail(); }
  std::mutex mutex_;
  int value_ = 0;
};

// A constructor does not race on what it makes, but on what it copies.
class Copied {
public:
  Copied() = default;
  Copied(const Copied& other) : count_(other.count_) {}
  Copied(Copied&& other) : count_(other.count_) {}
  void add_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++count_;
  }

private:
  std::mutex mutex_;
  int count_ = 0;
};

class CopiedWithLock {
public:
  CopiedWithLock() = default;
  CopiedWithLock(const CopiedWithLock& other) {
    std::lock_guard<std::mutex> guard(other.mutex_);
    count_ = other.count_;
  }
  void add_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++count_;
  }

private:
  mutable std::mutex mutex_;
  int count_ = 0;
};

// What is left out on purpose, by attributes.
class Statistics {
public:
  void set_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
  }
  [[clang::annotate("footrace::ignore(statistics only)")]] int annotated_ok() { return value_; }
  __attribute__((no_sanitize("thread"))) int unchecked_ok() { return value_; }
  __attribute__((no_sanitize("address"))) int checked_bad() { return value_; }
  int caller_ok() { return unchecked(); }

private:
  __attribute__((no_sanitize("thread"))) int unchecked() { return value_; }
  std::mutex mutex_;
  int value_ = 0;
};
class [[clang::annotate("footrace::ignore(one thread only)")]] Whole {
public:
  void set_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
  }
  int get_ok() { return value_; }

private:
  std::mutex mutex_;
  int value_ = 0;
};
struct Tally {
  int hits, misses;
};
std::mutex totals_mutex;
int ignored_total; // footrace: ignore(statistics only)
int counted_total;
void set_totals_ok() {
  std::lock_guard<std::mutex> guard(totals_mutex);
  ignored_total = 1;
  counted_total = 1;
}
int ignored_total_ok() { return ignored_total; }
int counted_total_bad() { return counted_total; }
class IgnoredFields {
public:
  void set_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = 1;
    marked_ = 1;
    list_.push_back(1);
    statistics_.hits = 1;
    numbers_[0] = 1;
    head_ = new int(0);
    other_ = 1;
  }
  int scalar_ok() { return value_; }
  int attribute_ok() { return marked_; }
  std::size_t container_ok() { return list_.size(); }
  int part_ok() { return statistics_.hits; }
  int element_ok() { return numbers_[0]; }
  bool pointer_ok() { return head_ != nullptr; }
  int by_reference_ok() { return twice(value_); }
  int beside_bad() { return other_; }

private:
  static int twice(const int& n) { return 2 * n; }
  std::mutex mutex_;
  int value_ = 0; // footrace: ignore(statistics only)
  [[clang::annotate("footrace::ignore(statistics only)")]] int marked_ = 0;
  // footrace: ignore(statistics only)
  std::vector<int> list_;
  Tally statistics_{};  // footrace: ignore(statistics only)
  int numbers_[2] = {}; // footrace: ignore(statistics only)
  int* head_ = nullptr; // footrace: ignore(null or not)
  int other_ = 0;
};
