// Where the value of a field comes from: the one store from which it was copied, over any number of records in between,
// as the captures of a closure are on their way to a thread.
#pragma once

#include "prove/accesses.h"

namespace footrace::prove {

// In order: the store of the value, then the copies. A counter is a variable with two stores, one that begins and one that
// adds or takes one; the latter is the first step.
struct Copying {
  struct Step {
    InstanceId instance;
    const llvm::Instruction* inst;
    LocationId to;
  };
  std::vector<Step> steps;
  const llvm::Instruction* beginning = nullptr; // of a counter

  const Step& first() const { return steps.front(); }
  const llvm::Value* value() const; // what was stored, if it is not a counter
};

class CopiedValues {
public:
  CopiedValues(const PointsTo& pointers, const Accesses& accesses)
      : pointers_(pointers), accesses_(accesses) {}

  // Nothing if the field may be written in another way, or in more than one place.
  std::optional<Copying> source_of(LocationId field, std::uint64_t size) const;
  // Every access that may write some of the bytes; new memory is not written yet.
  std::vector<AccessId> writes_of(LocationId field, std::uint64_t size) const;

private:
  bool trace(LocationId field, std::uint64_t size, Copying& found) const;
  bool is_counted_by(LocationId field, std::uint64_t size, const Access& beginning, const Access& step) const;

  const PointsTo& pointers_;
  const Accesses& accesses_;
  mutable std::map<ObjectId, std::vector<AccessId>> writes_; // by object; made when first asked for
};

} // namespace footrace::prove
