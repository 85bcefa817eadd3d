// Four threads and some memory, for the tests of rules.
#pragma once

#include "detectors/fasttrack/access.h"
#include "shadow/cell.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace footrace::fasttrack {

class Rules : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(reserve_shadow(), nullptr);
    for (Tid i = 0; i < 4; ++i) initial(t[i], i, 1);
    forget(reinterpret_cast<uptr>(memory), sizeof memory);
  }
  void TearDown() override {
    forget(reinterpret_cast<uptr>(memory), sizeof memory);
    release_cell_caches(); // the next test uses the same epochs
  }

  uptr at(u64 offset = 0) { return reinterpret_cast<uptr>(memory) + offset; }
  // The number of conflicts; they are kept in `seen`.
  u32 does(ThreadState& who, AccessKind kind, u64 offset = 0, u64 size = 8, u32 site = 7) {
    seen.clear();
    return access(
               who, at(offset), size, kind, site,
               [](void* list, const Conflict& c) { static_cast<std::vector<Conflict>*>(list)->push_back(c); },
               &seen)
        .conflicts;
  }
  u32 reads(ThreadState& who, u64 offset = 0, u64 size = 8, u32 site = 7) {
    return does(who, AccessKind::Read, offset, size, site);
  }
  u32 writes(ThreadState& who, u64 offset = 0, u64 size = 8, u32 site = 8) {
    return does(who, AccessKind::Write, offset, size, site);
  }
  u64 count(const ThreadState& who, Rule rule) { return who.rule_count[u32(rule)]; }
  void order(ThreadState& from, ThreadState& to) { // a lock handed over
    Clock m;
    release(from, m);
    acquire(to, m);
  }
  Cell cell(u64 offset = 0) { return *cell_of(at(offset)); }

  alignas(64) char memory[256];
  ThreadState t[4];
  std::vector<Conflict> seen;
};

} // namespace footrace::fasttrack
