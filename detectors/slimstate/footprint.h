// What one thread has read or written of one array since its last synchronisation: ranges of bytes. Ranges that touch become one, so a walk
// over an array is one range, and a strided walk one for each element.
#pragma once

#include "base/types.h"

#include <map>

namespace footrace::detectors::slimstate {

class Ranges {
public:
  void add(u64 begin, u64 end) {
    auto next = at_.upper_bound(begin);
    if (next != at_.begin()) {
      auto previous = std::prev(next);
      if (previous->second >= end) return;
      if (previous->second >= begin) {
        begin = previous->first;
        at_.erase(previous);
      }
    }
    for (; next != at_.end() && next->first <= end; next = at_.erase(next)) end = max(end, next->second);
    at_.emplace(begin, end);
  }
  bool has(u64 begin, u64 end) const {
    auto next = at_.upper_bound(begin);
    return next != at_.begin() && std::prev(next)->second >= end;
  }
  bool is_empty() const { return at_.empty(); }
  void clear() { at_.clear(); }
  u64 bytes() const { return at_.size() * 64; } // a node of a tree

  // Ranges of one size at one distance: `count` of them, or 0.
  struct Strided {
    u64 begin = 0, size = 0, stride = 0, count = 0;
  };
  Strided strided() const {
    if (at_.size() < 2) return {};
    auto r = at_.begin();
    Strided s{r->first, r->second - r->first, std::next(r)->first - r->first, 1};
    for (auto before = r++; r != at_.end(); before = r++, ++s.count)
      if (r->first - before->first != s.stride || r->second - r->first != s.size) return {};
    return s;
  }
  template <class Fn> void for_each(Fn fn) const {
    for (const auto& [begin, end] : at_) fn(begin, end);
  }

private:
  std::map<u64, u64> at_; // begin -> end, apart from each other
};

} // namespace footrace::detectors::slimstate
