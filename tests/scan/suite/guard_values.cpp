// Guards as values: returned, moved, swapped, kept in other objects, passed as a proof.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

using L = std::lock_guard<std::mutex>;
using U = std::unique_lock<std::mutex>;

class Returned {
public:
  void write_ok() {
    L guard(m_);
    x_++;
  }
  void variable_ok() {
    auto guard = variable();
    x_++;
  }
  void moved_ok() {
    auto guard = moved();
    x_++;
  }
  void temporary_ok() {
    auto guard = temporary();
    x_++;
  }
  void after_wait_ok() {
    auto guard = after_wait();
    x_++;
  }
  void deferred_ok() {
    auto guard = deferred();
    guard.lock();
    x_++;
  }
  void deferred_bad() {
    auto guard = deferred();
    x_++;
  }
  void locked_later_ok() {
    auto guard = locked_later();
    x_++;
  }
  void of_argument_ok() {
    auto guard = of_argument(m_);
    x_++;
  }
  void of_other_bad() {
    auto guard = of_argument(other_);
    x_++;
  }
  void passed_on_ok() {
    auto guard = passed_on();
    x_++;
  }
  void closure_ok() {
    auto lock = [this] { return U(m_); };
    auto guard = lock();
    x_++;
  }
  void scope_ended_bad() {
    {
      auto guard = temporary();
    }
    x_++;
  }
  void scope_of_variable_ended_bad() {
    {
      auto guard = variable();
    }
    x_++;
  }
  void unlocked_bad() {
    U guard = temporary();
    guard.unlock();
    x_++;
  }
  void discarded_bad() {
    temporary();
    x_++;
  }
  void two_ok() {
    auto guards = two();
    x_++;
  }

private:
  U variable() {
    U lock(m_);
    return lock;
  }
  U moved() {
    U lock(m_);
    return std::move(lock);
  }
  U temporary() { return U(m_); }
  U after_wait() {
    U lock(m_);
    changed_.wait(lock);
    return lock;
  }
  U deferred() { return U(m_, std::defer_lock); }
  U locked_later() {
    U lock(m_, std::defer_lock);
    lock.lock();
    return lock;
  }
  static U of_argument(std::mutex& mutex) { return U(mutex); }
  U passed_on() { return variable(); }
  std::pair<U, U> two() { return {U(m_), U(other_)}; }

  std::mutex m_, other_;
  std::condition_variable changed_;
  int x_ = 0;
};

class ReturnedShared {
public:
  void write_ok() {
    std::unique_lock<std::shared_mutex> lock(m_);
    x_++;
  }
  int read_ok() {
    auto lock = readers();
    return x_;
  }
  void write_bad() {
    auto lock = readers();
    x_++;
  }
  int read_after_bad() {
    readers();
    return x_;
  }

private:
  std::shared_lock<std::shared_mutex> readers() {
    std::shared_lock<std::shared_mutex> lock(m_);
    return lock;
  }
  std::shared_mutex m_;
  int x_ = 0;
};

class Moved {
public:
  void write_ok() {
    L guard(m_);
    x_++;
  }
  void assigned_ok() {
    U lock;
    lock = U(m_);
    x_++;
  }
  void assigned_then_unlocked_bad() {
    U lock;
    lock = U(m_);
    lock.unlock();
    x_++;
  }
  void out_of_scope_ok() {
    U outer;
    {
      U inner(m_);
      outer = std::move(inner);
    }
    x_++;
  }
  void swapped_ok() {
    U outer;
    {
      U inner(m_);
      outer.swap(inner);
    }
    x_++;
  }
  void std_swapped_ok() {
    U outer;
    {
      U inner(m_);
      std::swap(outer, inner);
    }
    x_++;
  }
  void swapped_away_bad() {
    U outer(m_);
    {
      U inner;
      outer.swap(inner);
    }
    x_++;
  }
  void again_ok() {
    U lock(m_);
    lock.unlock();
    lock = U(m_);
    x_++;
  }
  void replaced_by_nothing_bad() {
    U lock(m_);
    lock = U();
    x_++;
  }
  void into_inner_bad() {
    U lock(m_);
    {
      U inner = std::move(lock);
    }
    x_++;
  }
  void into_unlocked_bad() {
    U lock(m_);
    auto other = std::move(lock);
    other.unlock();
    x_++;
  }
  void into_other_ok() {
    U lock(m_);
    auto other = std::move(lock);
    x_++;
  }
  void given_away_bad() {
    U lock(m_);
    swallow(std::move(lock));
    x_++;
  }
  void given_away_on_one_way_ok(bool early) {
    U lock(m_);
    if (early) {
      swallow(std::move(lock));
      return;
    }
    x_++;
  }
  void kept_on_other_way_bad(bool early) {
    U lock(m_);
    if (early) {
      swallow(std::move(lock));
      return;
    }
    lock.unlock();
    x_++;
  }
  void released_bad() {
    U lock(m_);
    lock.release()->unlock();
    x_++;
  }
  void released_ok() {
    U lock(m_);
    std::mutex* mutex = lock.release();
    x_++;
    mutex->unlock();
  }
  void there_and_back_ok() {
    auto lock = back(U(m_));
    x_++;
  }

private:
  static void swallow(U) {}
  static U back(U lock) { return lock; }
  std::mutex m_;
  int x_ = 0;
};

struct Parts {
  U lock;
  int* value;
};

class InTry {
public:
  void write_ok() {
    L guard(m_);
    x_++;
  }
  void caught_bad() {
    try {
      auto guard = locked();
    } catch (...) {
    }
    x_++;
  }
  void in_try_ok() {
    try {
      auto guard = locked();
      x_++;
    } catch (...) {
    }
  }
  void temporary_before_ok() {
    locked();
    U guard(m_);
    try {
      locked_elsewhere();
    } catch (...) {
      x_++;
    }
  }
  void parts_ok() {
    auto parts = both();
    x_++;
  }
  void parts_ended_bad() {
    both();
    x_++;
  }

private:
  U locked() { return U(m_); }
  void locked_elsewhere() { L guard(other_); }
  Parts both() { return Parts{U(m_), &x_}; }
  std::mutex m_, other_;
  int x_ = 0;
};

struct Member {
  explicit Member(std::mutex& mutex) : lock(mutex) {}
  L lock;
};
struct WithEnd {
  explicit WithEnd(std::mutex& mutex) : lock(mutex) {}
  ~WithEnd() {}
  U lock;
};
struct Scoped {
  explicit Scoped(std::mutex& mutex) : lock(mutex) {}
  std::scoped_lock<std::mutex> lock;
};
struct Inherited : L {
  using L::L;
};
struct Derived : U {
  explicit Derived(std::mutex& mutex) : U(mutex) {}
};
struct Aggregate {
  U lock;
};

class Users {
  struct OfOwner {
    explicit OfOwner(Users& users) : lock(users.m_) { users.x_++; }
    L lock;
  };

public:
  void write_ok() {
    L guard(m_);
    x_++;
  }
  void member_ok() {
    Member guard{m_};
    x_++;
  }
  void member_ended_bad() {
    {
      Member guard{m_};
    }
    x_++;
  }
  void with_end_ok() {
    WithEnd guard(m_);
    x_++;
  }
  void with_end_ended_bad() {
    {
      WithEnd guard(m_);
    }
    x_++;
  }
  void member_unlocked_bad() {
    WithEnd guard(m_);
    guard.lock.unlock();
    x_++;
  }
  void scoped_ok() {
    Scoped guard(m_);
    x_++;
  }
  void of_owner_ok() {
    OfOwner guard(*this);
    x_++;
  }
  void of_owner_ended_bad() {
    {
      OfOwner guard(*this);
    }
    x_++;
  }
  void inherited_ok() {
    Inherited guard(m_);
    x_++;
  }
  void inherited_ended_bad() {
    {
      Inherited guard(m_);
    }
    x_++;
  }
  void derived_ok() {
    Derived guard(m_);
    x_++;
  }
  void derived_unlocked_bad() {
    Derived guard(m_);
    guard.unlock();
    x_++;
  }
  void aggregate_ok() {
    Aggregate guard{U(m_)};
    x_++;
  }
  void aggregate_ended_bad() {
    {
      Aggregate guard{U(m_)};
    }
    x_++;
  }
  void wrong_mutex_bad() {
    Member guard{other_};
    x_++;
  }

private:
  std::mutex m_, other_;
  int x_ = 0;
};

class Kept {
public:
  void write_ok() {
    L guard(m_);
    x_++;
  }
  void unique_ok() {
    auto guard = std::make_unique<L>(m_);
    x_++;
  }
  void unique_reset_bad() {
    auto guard = std::make_unique<L>(m_);
    guard.reset();
    x_++;
  }
  void unique_ended_bad() {
    {
      auto guard = std::make_unique<L>(m_);
    }
    x_++;
  }
  void shared_ok() {
    auto guard = std::make_shared<L>(m_);
    x_++;
  }
  void new_ok() {
    auto* guard = new L(m_);
    x_++;
    delete guard;
  }
  void new_deleted_bad() {
    auto* guard = new L(m_);
    delete guard;
    x_++;
  }
  void new_in_unique_ok() {
    std::unique_ptr<L> guard(new L(m_));
    x_++;
  }
  void optional_ok() {
    std::optional<L> guard;
    guard.emplace(m_);
    x_++;
  }
  void optional_reset_bad() {
    std::optional<L> guard;
    guard.emplace(m_);
    guard.reset();
    x_++;
  }
  void optional_empty_bad() {
    std::optional<L> guard;
    x_++;
  }
  void in_place_ok() {
    std::optional<L> guard(std::in_place, m_);
    x_++;
  }
  void optional_of_value_ok() {
    std::optional<U> guard{U(m_)};
    x_++;
  }
  void optional_unlocked_bad() {
    std::optional<U> guard{U(m_)};
    guard->unlock();
    x_++;
  }
  void tried_ok() {
    if (auto guard = tried()) x_++;
  }
  void tried_not_bad() {
    if (auto guard = tried()) return;
    x_++;
  }
  void vector_ok() {
    std::vector<U> guards;
    guards.emplace_back(m_);
    x_++;
  }
  void vector_cleared_bad() {
    std::vector<U> guards;
    guards.emplace_back(m_);
    guards.clear();
    x_++;
  }
  void tuple_ok() {
    std::tuple<L> guard(m_);
    x_++;
  }
  void variant_ok() {
    std::variant<std::monostate, L> guard;
    guard.emplace<L>(m_);
    x_++;
  }
  void closure_ok() {
    auto work = [this, lock = U(m_)] { x_++; };
    work();
  }
  void closure_ended_bad() {
    {
      auto work = [lock = U(m_)] {};
    }
    x_++;
  }
  void extended_ok() {
    const auto& guard = L(m_);
    x_++;
  }
  void extended_forwarding_ok() {
    auto&& guard = std::scoped_lock(m_, other_);
    x_++;
  }
  void extended_ended_bad() {
    {
      const auto& guard = L(m_);
    }
    x_++;
  }

private:
  std::optional<U> tried() {
    U lock(m_, std::try_to_lock);
    if (!lock) return std::nullopt;
    return lock;
  }
  std::mutex m_, other_;
  int x_ = 0;
};

class Proofs {
public:
  Proofs() = default;
  Proofs(const Proofs& other) : Proofs(other, L(other.m_)) {}
  void write_ok() {
    L guard(m_);
    x_++;
  }
  void const_reference_ok(const L&) { x_++; }
  void value_ok(U lock) { x_++; }
  void reference_ok(U& lock) { x_++; }
  void unlocked_bad(U& lock) {
    lock.unlock();
    x_++;
    lock.lock();
  }
  void calls_ok() { value_ok(U(m_)); }
  void after_call_bad() {
    value_ok(U(m_));
    x_++;
  }
  void adopted_ok() {
    U lock(m_, std::adopt_lock);
    x_++;
  }
  void no_proof_bad(int) { x_++; }

private:
  Proofs(const Proofs& other, const L&) : x_(other.x_) {}
  mutable std::mutex m_;
  int x_ = 0;
};

class Copied {
public:
  Copied() = default;
  Copied(const Copied& other) : x_((L(other.m_), other.x_)) {}
  void write_ok() {
    L guard(m_);
    x_++;
  }

private:
  mutable std::mutex m_;
  int x_ = 0;
};

// The constructor is reported.
class CopiedBare {
public:
  CopiedBare() = default;
  CopiedBare(const CopiedBare& other) : x_(other.x_) {}
  void write() {
    L guard(m_);
    x_++;
  }

private:
  mutable std::mutex m_;
  int x_ = 0;
};

class MemberGuard {
public:
  MemberGuard() : lock_(m_, std::defer_lock) {}
  void write_ok() {
    L guard(m_);
    x_++;
  }
  void locked_ok() {
    lock_.lock();
    x_++;
    lock_.unlock();
  }
  void through_calls_ok() {
    begin();
    x_++;
    end();
  }
  void after_calls_bad() {
    begin();
    end();
    x_++;
  }
  void unlocked_bad() {
    lock_.lock();
    lock_.unlock();
    x_++;
  }

private:
  void begin() { lock_.lock(); }
  void end() { lock_.unlock(); }
  std::mutex m_;
  U lock_;
  int x_ = 0;
};

class Lockable {
public:
  void lock() { m_.lock(); }
  void unlock() { m_.unlock(); }

private:
  std::mutex m_;
};

class Account : public Lockable {
public:
  void write_ok() {
    std::lock_guard<Account> guard(*this);
    x_++;
  }
  void deduced_ok() {
    std::lock_guard guard(*this);
    x_++;
  }
  void write_bad() { x_++; }

private:
  int x_ = 0;
};
