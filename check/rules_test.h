// Four threads and some memory, for the tests of rules.
#pragma once

#include "check/arrays.h"
#include "check/bytes.h"
#include "check/fresh_memory.h"
#include "check/sync_rules.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace footrace::fasttrack {

class Rules : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(reserve_shadow(), nullptr);
    limit_logs(0, 0); // that something was logged is all that the rules ask
    for (u32 i = 0; i < kThreads; ++i) begin(t[i], i + 1); // slot 0 is nobody's
    forget(nullptr, at(), sizeof memory);
  }
  void TearDown() override { forget(nullptr, at(), sizeof memory); } // the next test uses the same epochs

  static void begin(ThreadState& who, Tid tid, u64 clock = 1) {
    initial(who, tid, clock);
    who.log.place_now = [](ThreadState&, Frame*) { return PlaceNow(); };
  }
  uptr at(u64 offset = 0) { return reinterpret_cast<uptr>(memory) + offset; }
  // The number of conflicts; they are kept in `seen`.
  u32 does(ThreadState& who, AccessKind kind, u64 offset = 0, u64 size = 8) {
    seen.clear();
    Frame frame = {};
    log_access(who, &frame, at(offset), size, kind, 0);
    access(
        who, at(offset), size, kind,
        [](void* list, const Conflict& c) { static_cast<std::vector<Conflict>*>(list)->push_back(c); },
        &seen);
    return u32(seen.size());
  }
  u32 reads(ThreadState& who, u64 offset = 0, u64 size = 8) {
    return does(who, AccessKind::Read, offset, size);
  }
  u32 writes(ThreadState& who, u64 offset = 0, u64 size = 8) {
    return does(who, AccessKind::Write, offset, size);
  }
  u64 count(const ThreadState& who, Rule rule) { return who.rule_count[u32(rule)]; }
  u64 count(const ThreadState& who, Transition x) { return who.transition_count[u32(x)]; }
  void order(ThreadState& from, ThreadState& to) { // a lock handed over
    Clock m;
    release(from, m);
    acquire(to, m);
  }
  static Epoch before(const ThreadState& who, u64 ticks) {
    return make_epoch(who.tid(), clock_of(who.epoch) - ticks);
  }
  // The words of a granule.
  Word W(u64 offset = 0) { return Word(*granule_unit(at(offset)).W); }
  Word R(u64 offset = 0) { return Word(*granule_unit(at(offset)).R); }
  u32 set_size(Word set) {
    u32 n = 0;
    for_each_entry(set_of(set), [&](SetEntry) { ++n; });
    return n;
  }
  bool holds(Word set, Epoch epoch) {
    bool found = false;
    for_each_entry(set_of(set), [&](SetEntry e) { found |= e.epoch() == epoch; });
    return found;
  }

  static constexpr u32 kThreads = 4;
  alignas(kBlockBytes) char memory[4 * kBlockBytes];
  const std::unique_ptr<ThreadState[]> t = std::make_unique<ThreadState[]>(kThreads); // zero at first
  std::vector<Conflict> seen;
};

} // namespace footrace::fasttrack
