// Reproducible randomness: the same seed gives the same trace everywhere (splitmix64).
#pragma once

#include "base/types.h"

#include <initializer_list>
#include <iterator>

namespace footrace::property {

class Random {
public:
  explicit Random(u64 seed) : state_(seed) {}
  u64 next() {
    u64 z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  u64 below(u64 n) { return next() % n; }
  u64 between(u64 low, u64 high) { return low + below(high - low + 1); }
  bool chance(double p) { return double(next() >> 11) * 0x1p-53 < p; }
  template <class T> T one_of(std::initializer_list<T> list) { return list.begin()[below(list.size())]; }
  template <class List> auto& pick(List& list) { return list[below(std::size(list))]; }

private:
  u64 state_;
};

} // namespace footrace::property
