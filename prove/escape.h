// Thread escape: which objects another thread can reach at all, and which accesses come before their object is made
// known to anybody else.
#pragma once

#include "prove/accesses.h"
#include "prove/executions.h"

#include "llvm/ADT/BitVector.h"

namespace footrace::prove {

class Escape {
public:
  explicit Escape(const PointsTo& pointers);

  // Reachable from a global variable, from what a thread was given or gave back, or from unknown code.
  bool may_escape(ObjectId object) const { return escaped_.test(object); }
  // Flow-sensitive: false if the object was allocated by this activation and nothing has published it yet.
  bool may_be_published(const Access& access) const;

private:
  void reach(const LocationSet& roots);

  const PointsTo& pointers_;
  llvm::BitVector escaped_;
  std::vector<ObjectId> work_;
};

} // namespace footrace::prove
