// The calls that lead to an access, outermost first. A caller puts its call in front of what its callee has: the rest is shared.
#pragma once

#include "scan/domain/interned.h"
#include "scan/il/il.h"

#include <iterator>
#include <vector>

namespace footrace::scan::domain {

struct CallSite {
  il::Name callee;
  il::Location at;
  bool operator==(const CallSite&) const = default;
  auto operator<=>(const CallSite&) const = default;
};

class CallChain {
public:
  CallChain() = default;
  explicit CallChain(const std::vector<CallSite>& calls);
  CallChain after(const CallSite& call) const; // `call`, then these
  CallChain rest() const;                      // without the first

  bool empty() const { return !first_; }
  std::size_t size() const { return first_ ? first_->size : 0; }
  const CallSite& front() const { return first_->call; }
  const CallSite& back() const;
  std::vector<CallSite> list() const { return {begin(), end()}; }

  friend bool operator==(CallChain a, CallChain b) { return a.first_ == b.first_; }
  friend std::strong_ordering operator<=>(CallChain a, CallChain b);

  struct Link {
    CallSite call;
    const Link* next = nullptr;
    std::size_t size = 1;
    friend bool operator==(const Link& a, const Link& b) { return a.call == b.call && a.next == b.next; }
  };
  class Iterator {
  public:
    using value_type = CallSite;
    using difference_type = std::ptrdiff_t;
    using reference = const CallSite&;
    using pointer = const CallSite*;
    using iterator_category = std::forward_iterator_tag;
    Iterator() = default;
    explicit Iterator(const Link* at) : at_(at) {}
    reference operator*() const { return at_->call; }
    pointer operator->() const { return &at_->call; }
    Iterator& operator++() { return at_ = at_->next, *this; }
    Iterator operator++(int) { return std::exchange(*this, Iterator(at_->next)); }
    bool operator==(const Iterator&) const = default;

  private:
    const Link* at_ = nullptr;
  };
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return {}; }

private:
  explicit CallChain(const Link* first) : first_(first) {}
  const Link* first_ = nullptr;
};

} // namespace footrace::scan::domain
