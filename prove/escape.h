// Thread escape: which objects another thread can reach at all, and which accesses come before their object is made
// known to anybody else.
#pragma once

#include "prove/accesses.h"
#include "prove/callers.h"
#include "prove/executions.h"

#include "llvm/ADT/BitVector.h"

namespace footrace::prove {

class Escape {
public:
  explicit Escape(const PointsTo& pointers);

  // Reachable from a global variable, from what a thread was given or gave back, or from unknown code.
  bool may_escape(ObjectId object) const { return escaped_.test(object); }
  // Flow-sensitive: false if the object was allocated by this activation, or by one that called it, and nothing has
  // published it yet.
  bool may_be_published(const Access& access) const;

  // Objects that another thread may learn of without being ordered after what happened before: their address was in
  // memory at `locations`, which is raced on, or atomic and relaxed. False if all of them were known already.
  bool add_unordered_publications(const LocationSet& locations);

private:
  bool passes_alone(const Caller& caller, unsigned argument) const;
  bool may_be_published(InstanceId instance, const llvm::Value* pointer, const llvm::Instruction* at,
                        unsigned depth) const;
  void reach(const LocationSet& roots);
  bool has_unordered_publication(const Access& access) const;

  const PointsTo& pointers_;
  llvm::BitVector escaped_, unordered_;
  std::vector<ObjectId> work_;
  Callers callers_;
};

} // namespace footrace::prove
