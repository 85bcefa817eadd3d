// Where a pointer comes from: whether, on every way, it is an origin plus an offset, or was read through one or more
// pointers starting at an origin ("obtained by one or more field dereferences").
#pragma once

#include "prove/addresses.h"
#include "prove/callers.h"

#include <functional>
#include <set>

namespace footrace::prove {

enum class Derived : std::uint8_t { No, Directly, ByDereference };

class Paths {
public:
  Paths(const PointsTo& pointers, const Equalities& equalities)
      : equalities_(equalities), callers_(pointers) {}

  using IsOrigin = std::function<bool(InstanceId, const llvm::Value*)>;
  Derived derivation(InstanceId instance, const llvm::Value* pointer, const IsOrigin& is_origin) const;

private:
  using Seen = std::set<std::pair<InstanceId, const llvm::Value*>>;
  // Nothing: only itself, around a loop.
  std::optional<Derived> derive(InstanceId instance, const llvm::Value* pointer, const IsOrigin& is_origin,
                                Seen& seen) const;

  const Equalities& equalities_;
  Callers callers_;
};

} // namespace footrace::prove
