// Types of the type and effect system (paper 001, Figure 6): where and, relative to others, when an object was made.
//
// A loop is also a function that may run more than once: each activation is one iteration. If two types that hold at
// one point both have 1 at a loop, their objects were made in the same iteration of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace footrace::prove::effects {

using LoopId = std::uint32_t;
using SiteId = std::uint32_t;

enum class Iteration : std::uint8_t { Zero, One, Top };

// Loop vector abstraction: a value for every loop of the program, most of them the same.
class LoopVector {
public:
  explicit LoopVector(Iteration otherwise = Iteration::Zero) : otherwise_(otherwise) {}

  Iteration operator[](LoopId loop) const;
  void set(LoopId loop, Iteration value);
  Iteration otherwise() const { return otherwise_; }
  const std::map<LoopId, Iteration>& named() const { return named_; }
  auto operator<=>(const LoopVector&) const = default;

private:
  Iteration otherwise_;
  std::map<LoopId, Iteration> named_; // only what differs from `otherwise_`
};

// A non-null type: loop vector and allocation site; no site means any.
struct Type {
  LoopVector loops;
  std::optional<SiteId> site;
  auto operator<=>(const Type&) const = default;
};
using MaybeType = std::optional<Type>; // nothing: null

inline Type top_type() { return {LoopVector(Iteration::Top), std::nullopt}; }

Iteration join(Iteration a, Iteration b);
LoopVector join(const LoopVector& a, const LoopVector& b);
MaybeType join(const MaybeType& a, const MaybeType& b); // Definition 3.1
MaybeType loopback(const MaybeType& type, LoopId loop); // Definition 3.2

bool may_be_equal(const Type& a, const Type& b); // compatible, section 4
bool is_below_top(const Type& type);

// Loops that either vector names.
std::set<LoopId> loops_of(const LoopVector& a, const LoopVector& b);

} // namespace footrace::prove::effects
