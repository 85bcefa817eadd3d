// Sets of locks as small numbers (Savage et al., TOCS'97, section 3): equal sets have one number, and an intersection is looked up after it was made once.
// Memory: one entry for each set, and for each pair of sets that met; programs have few.
#pragma once

#include "detectors/common/sync.h"

#include <map>
#include <vector>

namespace footrace::detectors {

using LockSet = u32;
constexpr LockSet kNoLocks = 0;

class LockSets {
public:
  LockSet number_of(const std::vector<u64>& sorted_locks);
  LockSet intersection(LockSet a, LockSet b);
  const std::vector<u64>& locks(LockSet set) const { return sets_[set]; }
  u64 memory() const;

private:
  std::vector<std::vector<u64>> sets_ = {{}};
  std::map<std::vector<u64>, LockSet> numbers_ = {{{}, kNoLocks}};
  std::unordered_map<u64, LockSet> intersections_;
};

// What each thread holds.
class HeldLocks {
public:
  explicit HeldLocks(LockSets& sets) : sets_(sets) {}
  void step(const Event& event);
  // Held in any mode, or exclusively: what protects a read, or a write as well.
  LockSet any(u32 thread) { return threads_[thread].any; }
  LockSet exclusive(u32 thread) { return threads_[thread].exclusive; }

private:
  struct Thread {
    std::vector<u64> all, exclusively; // sorted
    LockSet any = kNoLocks, exclusive = kNoLocks;
  };
  LockSets& sets_;
  std::unordered_map<u32, Thread> threads_;
};

} // namespace footrace::detectors
