// The shared state of futures: [futures.state] says that the library's own accesses to it are ordered, whoever makes them.
// Setting the result comes before what waited for it, one sets it, and the end of the state comes after the last who knows it.
// What programs do to the future, promise or packaged_task itself is not covered, nor what their functions do to anything.
#pragma once

#include "prove/accesses.h"
#include "prove/must_alias.h"

#include <set>

namespace llvm {
class Module;
} // namespace llvm

namespace footrace::prove {

// Marks the code of the library that works on such states, before it is inlined.
void mark_future_code(llvm::Module& module);

class FutureStates {
public:
  // `races`: accesses that may race; if one of a future itself does, nothing is concluded.
  FutureStates(const PointsTo& pointers, const Accesses& accesses, const RacySites& races);

  bool must_be_ordered(const Access& a, const Access& b) const;
  bool is_used() const { return !states_.empty(); }

private:
  const PointsTo& pointers_;
  const Accesses& accesses_;
  std::set<ObjectId> states_; // and results
};

} // namespace footrace::prove
