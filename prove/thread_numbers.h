// Threads that are given a number instead of a pointer, each another one, and use it as an index: accesses to elements
// with different numbers are apart.
#pragma once

#include "prove/accesses.h"
#include "prove/threads.h"

namespace footrace::prove {

class ThreadNumbers {
public:
  ThreadNumbers(const PointsTo& pointers, const Threads& threads) : pointers_(pointers), threads_(threads) {}

  bool must_be_apart(const Access& a, const Access& b) const;

private:
  // variable + stride * number + offset
  struct Element {
    const llvm::GlobalVariable* array;
    std::uint64_t stride;
    std::int64_t offset;
  };
  std::optional<Element> element_of(const Access& access) const;
  bool is_number(InstanceId instance, const llvm::Value* value) const;
  bool gets_own_number(OriginId origin) const;

  const PointsTo& pointers_;
  const Threads& threads_;
  mutable std::map<OriginId, bool> own_; // what gets_own_number said
};

} // namespace footrace::prove
