// Vector clocks as the paper has them, VC : Tid -> Nat in one array, for all detectors alike; what Table 2 counts is counted here. (The runtime's clocks
// are trees, clocks/vector_clock.h: cheap copies for thousands of threads, where nothing counts as an O(n) operation any more.)
// A clock without entries is bottom and needs no memory.
#pragma once

#include "base/types.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace footrace::detectors {

using Tid = u32; // dense, in order of appearance

struct ClockCounts {
  u64 allocated = 0, operations = 0;
};

class Clock {
public:
  Clock() = default;
  Clock(const Clock& other) { assign(other); }
  Clock(Clock&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  Clock& operator=(const Clock& other) {
    if (this != &other) assign(other);
    return *this;
  }
  Clock& operator=(Clock&& other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~Clock() { std::free(rep_); }

  bool is_bottom() const { return !rep_; }
  void clear() { std::free(std::exchange(rep_, nullptr)); }
  u32 size() const { return rep_ ? rep_->size : 0; }
  u64 get(Tid t) const { return t < size() ? rep_->begin()[t] : 0; }
  u64 bytes() const { return rep_ ? sizeof(Rep) + rep_->size * sizeof(u64) : 0; }

  void set(Tid t, u64 value, ClockCounts& counts) {
    if (!rep_) ++counts.allocated;
    grow(t + 1);
    rep_->begin()[t] = value;
  }
  void copy(const Clock& other, ClockCounts& counts) {
    if (!rep_ && other.rep_) ++counts.allocated;
    ++counts.operations;
    assign(other);
  }
  void join(const Clock& other, ClockCounts& counts) {
    if (!other.rep_) return;
    if (!rep_) ++counts.allocated;
    ++counts.operations;
    grow(other.rep_->size);
    for (u32 t = 0; t < other.rep_->size; ++t)
      rep_->begin()[t] = max(rep_->begin()[t], other.rep_->begin()[t]);
  }
  // An entry that exceeds the other's, or kAllCovered: then this is below or equal to it.
  static constexpr Tid kAllCovered = ~Tid(0);
  Tid first_above(const Clock& other, ClockCounts& counts) const {
    if (!rep_) return kAllCovered;
    ++counts.operations;
    for (u32 t = 0; t < rep_->size; ++t)
      if (rep_->begin()[t] > other.get(t)) return t;
    return kAllCovered;
  }

  // All of them.
  template <class Fn> void for_each_above(const Clock& other, ClockCounts& counts, Fn fn) const {
    if (!rep_) return;
    ++counts.operations;
    for (u32 t = 0; t < rep_->size; ++t)
      if (rep_->begin()[t] > other.get(t)) fn(Tid(t));
  }

private:
  struct Rep {
    u32 size, capacity;
    const u64* begin() const { return reinterpret_cast<const u64*>(this + 1); }
    u64* begin() { return reinterpret_cast<u64*>(this + 1); } // `capacity` entries follow
  };
  void grow(u32 size) {
    if (rep_ && size <= rep_->size) return;
    if (!rep_ || size > rep_->capacity) {
      const u32 capacity = max(size, rep_ ? rep_->capacity * 2 : u32(4));
      Rep* rep = static_cast<Rep*>(std::realloc(rep_, sizeof(Rep) + capacity * sizeof(u64)));
      if (!rep) std::abort();
      if (!rep_) rep->size = 0;
      rep->capacity = capacity;
      rep_ = rep;
    }
    std::memset(rep_->begin() + rep_->size, 0, (size - rep_->size) * sizeof(u64));
    rep_->size = size;
  }
  void assign(const Clock& other) {
    if (!other.rep_) return clear();
    grow(other.rep_->size);
    std::memcpy(rep_->begin(), other.rep_->begin(), other.rep_->size * sizeof(u64));
    std::memset(rep_->begin() + other.rep_->size, 0, (rep_->size - other.rep_->size) * sizeof(u64));
  }
  Rep* rep_ = nullptr;
};

// c@t in one word, ordered by clock for one thread. Bottom is 0@0.
struct Epoch {
  u64 raw = 0;
  static constexpr u32 kClockBits = 40;
  static Epoch of(Tid t, u64 clock) { return {u64(t) << kClockBits | clock}; }
  Tid tid() const { return Tid(raw >> kClockBits); }
  u64 clock() const { return raw & ((u64(1) << kClockBits) - 1); }
  bool is_bottom() const { return clock() == 0; }
  friend bool operator==(Epoch, Epoch) = default;
};

inline bool covers(const Clock& clock, Epoch e) { return e.clock() <= clock.get(e.tid()); }

} // namespace footrace::detectors
