// A value that is said many times and kept once. A program of 100,000 lines has millions of accesses, with some thousand paths
// and some hundred sets of locks: equal values are one object and are compared by one pointer. They are ordered by what they
// are, so that results do not depend on the order in which they were met.
// Concurrency: any thread may make one. What is kept lives as long as the process.
#pragma once

#include "scan/domain/digest.h"

#include <mutex>
#include <unordered_set>
#include <utility>

namespace footrace::scan::domain {

template <class T> class Interned {
public:
  Interned() {
    static const T* const none = kept(T());
    value_ = none;
  }
  Interned(T value) : value_(kept(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_; }
  operator const T&() const { return *value_; }

  friend bool operator==(Interned a, Interned b) { return a.value_ == b.value_; }
  friend std::strong_ordering operator<=>(Interned a, Interned b) {
    return a.value_ == b.value_ ? std::strong_ordering::equal : *a.value_ <=> *b.value_;
  }

  struct Hash {
    std::size_t operator()(Interned x) const { return std::hash<const T*>()(x.value_); }
  };

private:
  static const T* kept(T value) {
    struct ByContent {
      std::size_t operator()(const T& x) const { return digest_of(x); }
    };
    struct Pool {
      std::mutex mutex;
      std::unordered_set<T, ByContent> values; // node-based: they never move
    };
    static Pool& pool = *new Pool; // never destroyed: other static objects may use it
    std::lock_guard guard(pool.mutex);
    return &*pool.values.insert(std::move(value)).first;
  }

  const T* value_;
};

} // namespace footrace::scan::domain
