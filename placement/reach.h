// Which checks lie behind or before an access: walks over the steps of a function from an access to the checks that have its bytes.
#pragma once

#include "placement/steps.h"

namespace footrace {

class Reach {
public:
  struct Place {
    const llvm::BasicBlock* block;
    unsigned step;
  };
  // What lies between on some path.
  struct Way {
    bool release = false;
    bool back_edge = false;
  };
  // Instead of a check: a callee has checked the bytes, or every caller.
  static constexpr unsigned elsewhere = ~0u;
  using Found = llvm::function_ref<void(unsigned check, Way way)>;

  explicit Reach(const Steps& steps);

  void add_before(Place place, unsigned check, PathSet bits);
  void add_on_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to, unsigned check, PathSet bits);

  // Where an access with a path is; none if its block is unreachable.
  const Place* place_of(unsigned access) const;

  // The first checks behind the place, on every path, that have any of the bytes that are still to be found.
  void forward(Place from, PathSet remaining, Found found) const;
  // The last checks before the place; those at the place itself count.
  void backward(Place from, PathSet remaining, Found found) const;

private:
  struct Check {
    unsigned number;
    PathSet bits;
  };
  using Checks = llvm::SmallVector<Check, 1>;

  static void take_elsewhere(const PathSet& bits, PathSet& remaining, Way way, Found found);
  static void take(const Checks& checks, PathSet& remaining, Way way, Found found);
  const Checks* before(const llvm::BasicBlock* block, unsigned step) const;
  const Checks* on_edge(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;

  const Steps& steps_;
  llvm::DenseMap<std::pair<const llvm::BasicBlock*, unsigned>, Checks> before_;
  llvm::DenseMap<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, Checks> on_edge_;
  llvm::DenseMap<unsigned, Place> places_;
};

} // namespace footrace
